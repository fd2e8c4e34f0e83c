import { type Duration, ScheduleDefinition } from '@signalbox/protocol';
import { SignalboxError } from '../errors.ts';
import type { AnyJob } from '../job.ts';
import type { MembersOf } from '../known-members.ts';

export interface SimulateParams {
  readonly jobs: readonly AnyJob[];
  /** Start of the simulation. Default: now. */
  readonly at?: string | Date;
  /** The same seed produces the same delays and the same order. */
  readonly seed?: number;
  /** How many attempts the simulated worker runs at once. Default: 100. */
  readonly concurrency?: number;
  /** Labels of the simulated worker, for tasks that require some. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly zone?: string;
  /** The quota of the tenant: how many of its attempts may run at once, P0 excepted. */
  readonly maxRunning?: number;
  /** Real time that a handler may take between two steps before virtual time continues. */
  readonly patience?: Duration;
}

export const SIMULATE_MEMBERS = {
  jobs: true,
  at: true,
  seed: true,
  concurrency: true,
  labels: true,
  zone: true,
  maxRunning: true,
  patience: true,
} as const satisfies MembersOf<SimulateParams>;

export const WHEN_MEMBERS = Object.fromEntries(
  Object.keys(ScheduleDefinition.properties)
    .filter((name) => name !== 'job')
    .map((name) => [name, true as const]),
);

/** Selects the attempts of one task; without it, all attempts of the job. */
export interface OfTask {
  readonly task?: string;
}

/** The start of the simulation in ms since the epoch. */
export function startOf(at: SimulateParams['at']): number {
  const ms = new Date(at ?? Date.now()).getTime();
  if (!Number.isNaN(ms)) return ms;
  throw new SignalboxError('invalid', `at must be a date, not ${String(at)}`, { field: 'at' });
}
