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
  /** Maximum number of concurrent attempts. Default: 10. */
  readonly concurrency?: number;
  /** Name of the worker, unique per node. Default: derived from the host name and the process. */
  readonly name?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly zone?: string;
  /**
   * Further executors: `command` lets job definitions start processes on this machine, `http` lets them send
   * requests from it. Both are off by default, because everybody who can define jobs could use them.
   */
  readonly executors?: readonly ('command' | 'http' | Executor)[];
  /** How long `stop()` lets attempts continue before they are stopped. Default: 30 seconds. */
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
  /** Accepts no new attempts, lets running attempts finish, delivers their results, and disconnects. */
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
