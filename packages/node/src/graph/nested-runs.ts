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
/** Bounds jobs that nest themselves. */
const DEPTH_MAX = 16;
const LEAST_URGENT: Class = 2;

/** A task and the start of its wait: the task may have entered another wait since. */
type Wait = Pick<Effect & { kind: 'startRun' }, 'task' | 'since'>;

interface WaitRef {
  readonly partition: number;
  readonly seq: number;
  readonly task: number;
  readonly since: number;
}

type Outcome = (Command & { kind: 'nestedBegun' | 'nestedRefused' }) | null;

/**
 * Starts the runs that tasks wait for, and records their ids. A run is submitted under the key of the wait, so that a
 * retry after a crash finds the existing run. The run belongs to the partition of its own job, on any node; from then
 * on run and task exchange messages (ADR 0028), and nothing here tracks the run.
 */
export class NestedRuns {
  readonly #context: () => NodeContext;
  readonly #resolver: InputResolver;
  /** Waits whose run is being started, by key, so that none is started twice concurrently. */
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
    // After a partition was lost and taken over again, another object represents the task.
    this.#starting.set(key, { task, since });
    if (!isStarting) void this.#begin(key).finally(() => this.#starting.delete(key));
  }

  /** Retries until the run has begun or is refused, or no task here waits for it. */
  async #begin(key: string): Promise<void> {
    for (;;) {
      const wait = this.#starting.get(key) as Wait;
      if (this.#stopping.signal.aborted || !this.#isWanted(wait)) return;
      // A paused run starts nothing; started nested runs continue.
      const isPaused = wait.task.run.state === 'PAUSED';
      if (!isPaused && (await this.#record(await this.#outcomeOf(wait, key)))) return;
      // A paused job is retried until it is resumed; `why` shows the reason meanwhile.
      const { timers = REAL_TIMERS } = this.#context();
      await timers.wait(RETRY_MS, this.#stopping.signal).catch(() => {});
    }
  }

  /** This node owns the partition, and the task is still in that wait. */
  #isWanted({ task, since }: Wait): boolean {
    const { partition, seq } = task.run;
    const { books } = this.#context().loop.engine.core;
    const isHere = books.get(partition)?.runs.get(seq)?.tasks[task.index] === task;
    return isHere && task.state === 'PENDING' && task.part?.waitsSince === since;
  }

  /** The command for the engine; null to retry. */
  async #outcomeOf({ task, since }: Wait, key: string): Promise<Outcome> {
    const { partition, seq } = task.run;
    const waitRef = { partition, seq, task: task.index, since };
    try {
      const { run, class: priority } = await this.#submit({ task, since }, key);
      return { kind: 'nestedBegun', ...waitRef, run: run.id, class: priority };
    } catch (error) {
      if (isFinal(error)) return this.#refused(waitRef, { task, key, error: error.message });
      this.#context().log.debug({ event: 'nested_run.retried', err: error }, 'nested run retried');
      return null;
    }
  }

  /** An earlier owner may have submitted the run before its job was deleted: then the run exists. */
  async #refused(
    waitRef: WaitRef,
    why: { task: Task; key: string; error: string },
  ): Promise<Outcome> {
    const { task, key, error } = why;
    try {
      const run = await findUnderKey(this.#context(), task, key);
      if (run !== null) return { kind: 'nestedBegun', ...waitRef, run, class: LEAST_URGENT };
      return { kind: 'nestedRefused', ...waitRef, error };
    } catch (failure) {
      this.#context().log.debug(
        { event: 'nested_run.retried', err: failure },
        'nested run retried',
      );
      return null;
    }
  }

  async #record(command: Outcome): Promise<boolean> {
    if (command === null) return false;
    const answer = await this.#context().loop.execute(command);
    return answer.kind !== 'refused';
  }

  /** PRI-13: a nested run inherits the priority of a more urgent waiting run. */
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
    const priority = Math.min(run.class, own?.class ?? LEAST_URGENT) as Class;
    const nested = { of: formatRunId(run), task: taskName(task), index, since };
    const item = {
      job,
      priority: CLASSES[priority],
      derived: { key, nested },
      ...(inputBytes === null ? {} : { inputBytes }),
    };
    const [submitted] = await submitRuns(context, caller, { items: [item], single: true });
    if (submitted === undefined) throw new Error('a submission returned no result');
    // An existing run may have been submitted when the waiting run was less urgent.
    return { run: submitted, class: submitted.created ? priority : LEAST_URGENT };
  }
}

class Refused extends Error {}

/**
 * The run that was submitted under the key, or the inbox entry that will become it. The inbox is read first: an
 * entry that has left it has stored its key.
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
