import { setTimeout } from 'node:timers/promises';
import { CLASSES, formatRunId, isTerminalRun, type Task, taskName } from '@signalbox/engine';
import type { RunView } from '@signalbox/protocol';
import { ApiError, type Caller, type NodeContext } from '../context.ts';
import { cancelRun, getRun, runOutput, submitRuns } from '../operations/index.ts';
import { keepPayload, loadPayload } from '../operations/payloads.ts';
import { reservedKey } from '../operations/reserved-key.ts';
import type { Supplier } from '../supply/supplier.ts';

const WAIT_MS = 30_000;
const RETRY_MS = 1_000;
/** A job that nests itself would otherwise grow for as long as there is memory. */
const DEPTH_MAX = 16;

/**
 * Starts the runs that tasks stand for, and tells the engine how they ended. The run is submitted
 * under a key of the task, so that asking again after a crash finds the one that is there. It lives
 * in the partition of its own job, on whichever node.
 */
export class NestedRuns {
  readonly #context: () => NodeContext;
  readonly #supplier: Supplier;
  /** Tasks that somebody here waits for, so that none is waited for twice. */
  readonly #waiting = new Map<string, Task>();
  #stopped = false;

  constructor(context: () => NodeContext, supplier: Supplier) {
    this.#context = context;
    this.#supplier = supplier;
  }

  stop(): void {
    this.#stopped = true;
  }

  start(task: Task): void {
    const key = keyOf(task);
    const isWatched = this.#waiting.has(key);
    this.#waiting.set(key, task);
    if (!isWatched) void this.#follow(key).finally(() => this.#waiting.delete(key));
  }

  /** Whoever waited was cancelled: so is what it waited for. */
  cancel(task: Task): void {
    void this.#persist(async () => {
      const caller = callerOf(task);
      const { id } = await this.#submit(task, caller);
      const reason = `the run ${formatRunId(task.run)} that waited for it was cancelled`;
      await cancelRun(this.#context(), caller, { id, reason });
    });
  }

  async #follow(key: string): Promise<void> {
    const task = () => this.#waiting.get(key) as Task;
    const first = task();
    await this.#persist(async () => {
      const caller = callerOf(task());
      const submitted = await this.#submit(task(), caller);
      let view: RunView;
      do {
        view = await getRun(this.#context(), caller, { id: submitted.id, waitMs: WAIT_MS });
        if (this.#stopped || !isLive(task())) return;
      } while (!isTerminalRun(view.state));
      await this.#report(task(), caller, view);
    }, first);
  }

  async #report(task: Task, caller: Caller, view: RunView): Promise<void> {
    const context = this.#context();
    const { partition, seq } = task.run;
    const failed = view.tasks.find(({ error }) => error !== null);
    const bytes = await runOutput(context, caller, { id: view.id });
    const answer = await context.loop.execute({
      kind: 'nestedEnded',
      partition,
      seq,
      task: task.index,
      run: view.id,
      state: view.state,
      error: failed === undefined ? '' : `: ${failed.name}: ${failed.error}`,
      output: bytes.length === 0 ? null : await keepPayload(context, caller.tenant, bytes),
    });
    // Not ours any more: the new owner asks for itself. A lease that is only late is still ours.
    const isOurs = context.loop.leases.held.has(partition);
    if (answer.kind === 'refused' && (answer.code !== 'not_owner' || isOurs)) {
      throw new ApiError('unavailable', answer.message);
    }
  }

  /** PRI-13: what a more urgent run waits for is as urgent. */
  async #submit(task: Task, caller: Caller): Promise<{ id: string }> {
    if (depthOf(task) >= DEPTH_MAX) {
      throw new Refused(`${DEPTH_MAX} runs wait for each other already`);
    }
    const context = this.#context();
    const { wait } = task.spec.step;
    const job = wait?.kind === 'run' ? wait.job : '';
    const own = await context.loop.specs.newest(caller.tenant, job);
    const supply = await this.#supplier.of(task);
    if ('error' in supply) throw new Refused(supply.error);
    const inputBytes = supply.input && (await loadPayload(context, caller.tenant, supply.input));
    const urgent = own !== null && task.run.class < own.class;
    const item = {
      job,
      derivedKey: keyOf(task),
      ...(inputBytes === null ? {} : { inputBytes }),
      ...(urgent ? { class: CLASSES[task.run.class] } : {}),
    };
    const [submitted] = await submitRuns(context, caller, { items: [item], single: true });
    return submitted as { id: string };
  }

  /** Until it works, or can never work: then the task fails with the reason. */
  async #persist(work: () => Promise<void>, task?: Task): Promise<void> {
    while (!this.#stopped) {
      try {
        return await work();
      } catch (error) {
        if (isFinal(error)) return this.#fail(task, error);
        this.#context().log.debug({ err: error }, 'a nested run is tried again');
        await setTimeout(RETRY_MS, undefined, { ref: false });
      }
    }
  }

  async #fail(task: Task | undefined, error: Error): Promise<void> {
    if (task === undefined) return;
    const { partition, seq } = task.run;
    const about = { run: '', state: 'FAILED' as const, error: `: ${error.message}`, output: null };
    await this.#context().loop.execute({
      kind: 'nestedEnded',
      partition,
      seq,
      task: task.index,
      ...about,
    });
  }
}

class Refused extends Error {}

function isFinal(error: unknown): error is Error {
  if (error instanceof Refused) return true;
  if (!(error instanceof ApiError)) return false;
  return ['not_found', 'invalid', 'not_running', 'conflict'].includes(error.code);
}

function isLive(task: Task): boolean {
  return task.state === 'PENDING';
}

/**
 * No client can write it, and so nobody can stand in for a nested run. Says how deep it lies, and
 * which wait it is: a task that is held and begins anew gets a run of its own.
 */
function keyOf(task: Task): string {
  const name = `${formatRunId(task.run)}/${taskName(task)}/${task.part?.waitsSince ?? 0}`;
  return reservedKey(`nested/${depthOf(task) + 1}/${name}`);
}

/** How many runs wait for the one that the task is of. */
function depthOf({ run }: Task): number {
  const prefix = reservedKey('nested/');
  const { key = '' } = run.head;
  return key.startsWith(prefix) ? Number.parseInt(key.slice(prefix.length), 10) : 0;
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
