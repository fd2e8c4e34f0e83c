import type { Duration } from '@signalbox/protocol';
import type { Executor } from '@signalbox/worker';
import { SignalboxError } from './errors.ts';
import type { AnyJob } from './job.ts';
import type { MembersOf } from './known-members.ts';
import { nearest } from './nearest.ts';
import type { AnyHandler } from './work.ts';

/** What a worker in this process is to be. */
export interface WorkOn extends WorkOnOptions {
  readonly handlers: ReadonlyMap<string, AnyHandler>;
}

export interface WorkOnOptions {
  /** How many attempts run at once; ten where nothing is said. */
  readonly concurrency?: number;
  /** Unique among the workers of a node; made from the machine's name and the process where absent. */
  readonly name?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly zone?: string;
  /**
   * What else it may run: `command` lets definitions start processes here, `http` lets them send
   * requests from here. Neither is on by itself: whoever may define jobs would be let in.
   */
  readonly executors?: readonly ('command' | 'http' | Executor)[];
  /** How long `stop()` lets attempts run on before they are told to stop; half a minute. */
  readonly gracePeriod?: Duration;
}

export const WORK_ON_MEMBERS = {
  concurrency: true,
  name: true,
  labels: true,
  zone: true,
  executors: true,
  gracePeriod: true,
} as const satisfies MembersOf<WorkOnOptions>;

/** `await using worker = await box.work(…)` stops it at the end of the block. */
export interface WorkingWorker extends AsyncDisposable {
  readonly name: string;
  /** Takes nothing new, lets what runs come to its end, delivers the results, and leaves. */
  stop(): Promise<void>;
}

/** Refuses what is not an executor before anything is started: a name that is misspelt must not enable another. */
export function requireExecutors(executors: WorkOnOptions['executors']): void {
  if (executors === undefined) return;
  const field = 'executors';
  if (!Array.isArray(executors)) {
    throw new SignalboxError('invalid', "executors must be an array such as ['command', 'http']", {
      field,
    });
  }
  for (const [i, executor] of executors.entries()) {
    const isNamed = executor === 'command' || executor === 'http';
    if (isNamed || (typeof executor === 'object' && executor !== null)) continue;
    const near = nearest(String(executor), ['command', 'http']);
    const meant = near === null ? '' : ` (did you mean ${JSON.stringify(near)}?)`;
    const message = `there is no executor ${JSON.stringify(executor)}${meant}; use "command", "http" or an executor object`;
    throw new SignalboxError('invalid', message, { field: `executors[${i}]` });
  }
}

/** Handlers by the name under which a worker offers them. Two jobs must not offer the same. */
export function handlersOf(jobs: readonly AnyJob[]): ReadonlyMap<string, AnyHandler> {
  const handlers = new Map<string, AnyHandler>();
  const owners = new Map<string, string>();
  for (const job of jobs) {
    for (const [name, handler] of job.handlers) {
      const owner = owners.get(name);
      if (owner !== undefined && handlers.get(name) !== handler) {
        throw new Error(`the jobs ${owner} and ${job.name} both have a handler named ${name}`);
      }
      owners.set(name, job.name);
      handlers.set(name, handler);
    }
  }
  return handlers;
}
