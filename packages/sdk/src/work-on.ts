import type { Duration } from '@signalbox/protocol';
import type { Executor } from '@signalbox/worker';
import type { AnyJob } from './job.ts';
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

export interface WorkingWorker {
  readonly name: string;
  /** Takes nothing new, lets what runs come to its end, delivers the results, and leaves. */
  stop(): Promise<void>;
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
