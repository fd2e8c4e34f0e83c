import { partitionOf, type RunId } from '@signalbox/engine';
import { mayContinue, PAGE_BYTES, type StoredRun, storedRunBytes } from '@signalbox/store';
import type { StreamContext } from './feed.ts';

/** Rows and names of jobs that one watcher may have read for it. */
const ROWS_MAX = 20_000;
const JOBS_MAX = 10_000;
const PAGE = 1_000;

interface JobList {
  readonly job: string;
  /** The row that the next page begins behind. */
  last: RunId | null;
  /** Of the oldest row that was read. */
  oldestSeq: number;
  isComplete: boolean;
}

/**
 * A tenant's runs in one partition, newest first, read as far as they are needed. Only jobs of the partition
 * have runs there, and within a partition ids rise with their numbers: a number that is missing between two
 * rows of a job is not a run of the job.
 */
export class ListedRuns {
  readonly #context: Pick<StreamContext, 'store' | 'partitions'>;
  readonly #of: { readonly tenant: string; readonly partition: number };
  readonly #rows = new Map<number, StoredRun>();
  #lists: JobList[] | null = null;
  #rowsRead = 0;

  constructor(
    context: Pick<StreamContext, 'store' | 'partitions'>,
    of: { readonly tenant: string; readonly partition: number },
  ) {
    this.#context = context;
    this.#of = of;
  }

  /**
   * The row of a run that was submitted before `before`, null where the tenant has none of that number, and
   * `unknown` where more would have to be read than a watcher may have.
   */
  async find(seq: number, before: RunId | null): Promise<StoredRun | null | 'unknown'> {
    this.#lists ??= await this.#readJobs(before);
    if (this.#lists === null) return 'unknown';
    for (const list of this.#rows.has(seq) ? [] : this.#lists) {
      while (!list.isComplete && list.oldestSeq > seq) {
        if (this.#rowsRead >= ROWS_MAX) return this.#rows.get(seq) ?? 'unknown';
        await this.#readPage(list);
      }
    }
    return this.#rows.get(seq) ?? null;
  }

  async #readPage(list: JobList): Promise<void> {
    const { tenant } = this.#of;
    const limits = { limit: PAGE, bytes: PAGE_BYTES };
    const query = { tenant, job: list.job, before: list.last, withPayloads: false, ...limits };
    const rows = await this.#context.store.listRuns(query);
    for (const row of rows) if (!row.damaged) this.#rows.set(row.run.id.seq, row);
    this.#rowsRead += rows.length;
    const last = rows.at(-1)?.run.id;
    if (last !== undefined) {
      list.last = last;
      list.oldestSeq = last.seq;
    }
    list.isComplete = !mayContinue(rows, limits, storedRunBytes);
  }

  /** Null where the tenant has more jobs than are read. Deleted jobs have runs too. */
  async #readJobs(before: RunId | null): Promise<JobList[] | null> {
    const { store, partitions } = this.#context;
    const { tenant, partition } = this.#of;
    const lists: JobList[] = [];
    let after: string | null = null;
    for (let read = 0; read < JOBS_MAX; ) {
      const limits = { limit: PAGE, bytes: PAGE_BYTES };
      const query = { tenant, kind: 'job', after, includeDeleted: true, ...limits };
      const definitions = await store.listDefinitions(query);
      for (const { name } of definitions) {
        if (partitionOf(tenant, name, partitions) !== partition) continue;
        const oldestSeq = Number.POSITIVE_INFINITY;
        lists.push({ job: name, last: before, oldestSeq, isComplete: false });
      }
      // A page that is cut by its bytes is shorter, and more may follow.
      if (definitions.length === 0) return lists;
      read += definitions.length;
      after = (definitions.at(-1) as { name: string }).name;
    }
    return null;
  }
}
