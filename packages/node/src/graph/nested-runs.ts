import {
  CLASSES,
  type Class,
  type Command,
  type Effect,
  formatRunId,
  nestedDepth,
  nestedKey,
  partitionOf,
  type Task,
  taskName,
} from '@signalbox/engine';
import type { Submitted } from '@signalbox/protocol';
import { ApiError, type Caller, type NodeContext } from '../context/index.ts';
import { REAL_TIMERS } from '../feed/timers.ts';
import { aliasOf } from '../inbox/inbox-alias.ts';
import type { InputResolver } from '../inputs/input-resolver.ts';
import { loadPayload } from '../operations/blobs/payloads.ts';
import { submitRuns } from '../operations/index.ts';

const RETRY_MS = 1_000;
/** A job that nests itself would otherwise grow for as long as there is memory. */
const DEPTH_MAX = 16;
const LEAST_URGENT: Class = 2;

/** A task and since when it waits: it may be in another wait by now. */
type Wait = Pick<Effect & { kind: 'startRun' }, 'task' | 'since'>;

interface OfWait {
  readonly partition: number;
  readonly seq: number;
  readonly task: number;
  readonly since: number;
}

type Told = (Command & { kind: 'nestedBegun' | 'nestedRefused' }) | null;

/**
 * Starts the runs that tasks wait for, and records their ids. A run is submitted under the key of the
 * wait, so that asking again after a crash finds the one that is there. It lives in the partition of
 * its own job, on whichever node, and from then on it and the task exchange messages (ADR 0028):
 * nothing here follows it.
 */
export class NestedRuns {
  readonly #context: () => NodeContext;
  readonly #resolver: InputResolver;
  /** Waits whose run somebody here is starting, by key, so that none is started by two at once. */
  readonly #starting = new Map<string, Wait>();
  readonly #stopping = new AbortController();

  constructor(context: () => NodeContext, resolver: InputResolver) {
    this.#context = context;
    this.#resolver = resolver;
  }

  stop(): void {
    this.#stopping.abort();
  }

  start({ task, since }: Wait): void {
    const key = nestedKey(task, since);
    const isStarting = this.#starting.has(key);
    // After a partition has left and come back it is another object that waits.
    this.#starting.set(key, { task, since });
    if (!isStarting) void this.#begin(key).finally(() => this.#starting.delete(key));
  }

  /** Until it is begun or refused, or nobody here waits for it any more. */
  async #begin(key: string): Promise<void> {
    for (;;) {
      const wait = this.#starting.get(key) as Wait;
      if (this.#stopping.signal.aborted || !this.#isWanted(wait)) return;
      // Nothing of a paused run begins; what has begun goes on.
      const isPaused = wait.task.run.state === 'PAUSED';
      if (!isPaused && (await this.#tell(await this.#outcomeOf(wait, key)))) return;
      // A paused job is asked again until somebody resumes it; `why` says so meanwhile.
      const { timers = REAL_TIMERS } = this.#context();
      await timers.wait(RETRY_MS, this.#stopping.signal).catch(() => {});
    }
  }

  /** This node has the partition, and the task is still in that wait. */
  #isWanted({ task, since }: Wait): boolean {
    const { partition, seq } = task.run;
    const { books } = this.#context().loop.engine.core;
    const isHere = books.get(partition)?.runs.get(seq)?.tasks[task.index] === task;
    return isHere && task.state === 'PENDING' && task.part?.waitsSince === since;
  }

  /** What the engine is to be told; null where it has to be tried again. */
  async #outcomeOf({ task, since }: Wait, key: string): Promise<Told> {
    const { partition, seq } = task.run;
    const of = { partition, seq, task: task.index, since };
    try {
      const { run, class: klass } = await this.#submit({ task, since }, key);
      return { kind: 'nestedBegun', ...of, run: run.id, class: klass };
    } catch (error) {
      if (isFinal(error)) return this.#refused(of, { task, key, error: error.message });
      this.#context().log.debug({ event: 'nested_run.retried', err: error }, 'nested run retried');
      return null;
    }
  }

  /** Its job may have been deleted after an owner before this one had submitted it: then it is there. */
  async #refused(of: OfWait, why: { task: Task; key: string; error: string }): Promise<Told> {
    const { task, key, error } = why;
    try {
      const run = await findUnderKey(this.#context(), task, key);
      if (run !== null) return { kind: 'nestedBegun', ...of, run, class: LEAST_URGENT };
      return { kind: 'nestedRefused', ...of, error };
    } catch (failure) {
      this.#context().log.debug(
        { event: 'nested_run.retried', err: failure },
        'nested run retried',
      );
      return null;
    }
  }

  async #tell(command: Told): Promise<boolean> {
    if (command === null) return false;
    const answer = await this.#context().loop.execute(command);
    return answer.kind !== 'refused';
  }

  /** PRI-13: what a more urgent run waits for is as urgent. */
  async #submit({ task, since }: Wait, key: string): Promise<{ run: Submitted; class: Class }> {
    const context = this.#context();
    const { run, index } = task;
    if (nestedDepth(run) >= DEPTH_MAX) {
      throw new Refused(`nested runs are limited to a depth of ${DEPTH_MAX}`);
    }
    const caller = callerOf(task);
    const job = jobOf(task);
    const own = await context.loop.specs.newest(caller.tenant, job);
    const resolved = await this.#resolver.resolve(task);
    if ('error' in resolved) throw new Refused(resolved.error);
    const inputBytes =
      resolved.input && (await loadPayload(context, caller.tenant, resolved.input));
    const klass = Math.min(run.class, own?.class ?? LEAST_URGENT) as Class;
    const nested = { of: formatRunId(run), task: taskName(task), index, since };
    const item = {
      job,
      priority: CLASSES[klass],
      derived: { key, nested },
      ...(inputBytes === null ? {} : { inputBytes }),
    };
    const [submitted] = await submitRuns(context, caller, { items: [item], single: true });
    if (submitted === undefined) throw new Error('a submission returned no result');
    // One that was there already may have been submitted by a run that was less urgent then.
    return { run: submitted, class: submitted.created ? klass : LEAST_URGENT };
  }
}

class Refused extends Error {}

/**
 * The run that was submitted under the key, or the entry of the inbox that will be it. The inbox first:
 * what has left it by then has its key.
 */
async function findUnderKey(context: NodeContext, task: Task, key: string): Promise<string | null> {
  const { store, partitions } = context;
  const { tenant } = task.run.spec;
  const partition = partitionOf(tenant, jobOf(task), partitions);
  const alias = aliasOf({ tenant, key, partition });
  if ((await store.readInboxEntry({ tenant, id: alias })) !== null) return alias;
  const [holder] = await store.readKeys([{ tenant, key }]);
  return holder === undefined ? null : formatRunId(holder.run);
}

function jobOf({ spec }: Task): string {
  const { wait } = spec.step;
  return wait?.kind === 'run' ? wait.job : '';
}

function isFinal(error: unknown): error is Error {
  if (error instanceof Refused) return true;
  if (!(error instanceof ApiError)) return false;
  return ['not_found', 'invalid', 'conflict', 'idempotency_conflict', 'too_large'].includes(
    error.code,
  );
}

function callerOf({ run }: Task): Caller {
  return {
    key: `run:${formatRunId(run)}`,
    tenant: run.spec.tenant,
    role: 'operator',
    platform: false,
    ip: '',
    requestId: '',
  };
}
