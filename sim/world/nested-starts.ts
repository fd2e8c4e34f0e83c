import {
  type Answer,
  type Class,
  type Command,
  type Effect,
  formatRunId,
  inboxId,
  nestedKey,
  partitionOf,
  taskName,
} from '@signalbox/engine';
import type { CommitLoop } from '@signalbox/node/loop';
import { type Store, StoreError } from '@signalbox/store';
import { hashHistory } from '../history.ts';

type Wait = Effect & { kind: 'startRun' };

/** Starts nested runs as a node does: under the key of the wait, directly or through the inbox. */
export class NestedStarts {
  readonly #loop: CommitLoop;
  readonly #store: Store;
  readonly #partitions: number;
  readonly #now: () => number;

  constructor(params: { loop: CommitLoop; store: Store; partitions: number; now: () => number }) {
    this.#loop = params.loop;
    this.#store = params.store;
    this.#partitions = params.partitions;
    this.#now = params.now;
  }

  async start(wait: Wait): Promise<'done' | 'again'> {
    if (!this.#isWanted(wait)) return 'done';
    try {
      const told = await this.#submit(wait);
      const answer = told === null ? null : await this.#loop.execute(told);
      return answer === null || answer.kind === 'refused' ? 'again' : 'done';
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      return 'again';
    }
  }

  #isWanted({ task, since }: Wait): boolean {
    const { partition, seq } = task.run;
    const live = this.#loop.engine.core.books.get(partition)?.runs.get(seq);
    const isHere = live?.tasks[task.index] === task && task.state === 'PENDING';
    return isHere && task.part?.waitsSince === since;
  }

  /** What the engine is to be told; null where nobody knows yet. */
  async #submit({ task, since }: Wait): Promise<Command | null> {
    const { run, index, spec: own } = task;
    const { tenant } = run.spec;
    const job = own.step.wait?.kind === 'run' ? own.step.wait.job : '';
    const of = { partition: run.partition, seq: run.seq, task: index, since };
    const key = nestedKey(task, since);
    const spec = await this.#loop.specs.newest(tenant, job);
    if (spec === null) return { kind: 'nestedRefused', ...of, error: `there is no job ${job}` };
    const partition = partitionOf(tenant, job, this.#partitions);
    const klass = Math.min(run.class, spec.class) as Class;
    const nested = { of: formatRunId(run), task: taskName(task), index, since };
    const command = { kind: 'submit', partition, spec, class: klass, input: run.input } as const;
    const answer = await this.#loop.execute({ ...command, head: { key, nested } });
    const begun = { kind: 'nestedBegun', ...of, class: klass } as const;
    if (isRun(answer)) return { ...begun, run: formatRunId(answer) };
    if (answer.kind !== 'refused' || answer.code !== 'not_owner') return null;
    const id = aliasOf(key, partition);
    const head = JSON.stringify({ nested });
    const entry = { id, partition, tenant, job, class: klass, head, input: run.input, key };
    await this.#store.putInbox({ ...entry, atMs: this.#now() });
    return { ...begun, run: id };
  }
}

function isRun(answer: Answer): answer is Answer & { kind: 'accepted' | 'duplicate' } {
  return answer.kind === 'accepted' || answer.kind === 'duplicate';
}

/** Made of the key, so that asking again is the same entry. */
function aliasOf(key: string, partition: number): string {
  const digest = hashHistory([key]);
  const [high, low] = [digest.slice(0, 8), digest.slice(8)];
  const randomHigh = Number.parseInt(high, 16);
  return inboxId({ ms: 0, partition, randomHigh, randomLow: Number.parseInt(low, 16) });
}
