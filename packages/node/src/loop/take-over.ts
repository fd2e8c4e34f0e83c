import {
  type Book,
  type FindSpec,
  formatRunId,
  type JobSpec,
  type JobVersion,
  planRebuild,
  type RebuildPlan,
  type RunHead,
  type RunPointer,
  rebuild,
  type SubmittedRun,
  type TailGroup,
} from '@signalbox/engine';
import { type FoundDamage, type RunRow, type Store, StoreError } from '@signalbox/store';
import type { Specs } from './specs.ts';
import { UnreadableJournal } from './unreadable-journal.ts';

const GROUPS_PER_READ = 500;
const BYTES_PER_READ = 16_777_216;
const ROWS_PER_READ = 5_000;

/**
 * Reads a partition that this node has just been given: checkpoint, the facts after it, and the
 * rows of runs that are still live. The fence is the last group there will ever be of an older
 * epoch, so what is read here is all there is.
 */
export async function readPartition(params: {
  store: Store;
  specs: Specs;
  partition: number;
  epoch: number;
  fenceSeq: number;
}): Promise<{ book: Book; tailFacts: number; tailBytes: number; checkpointSeq: number }> {
  const { store, specs, partition, epoch, fenceSeq } = params;
  const checkpoint = await store.readCheckpoint(partition);
  const tail: TailGroup[] = [];
  for (let after = checkpoint?.seq ?? 0; after < fenceSeq; ) {
    const query = { partition, afterSeq: after, limit: GROUPS_PER_READ, bytes: BYTES_PER_READ };
    const groups = await store.readGroups(query);
    // Facts are never passed over: without one of the groups the partition cannot be read.
    if (groups.length === 0 || groups.some(({ seq }, i) => seq !== after + 1 + i)) {
      await store.setAside(missingGroup(partition, after, groups));
      throw new StoreError(
        'damaged',
        `groups of partition ${partition} after ${after} are missing`,
      );
    }
    tail.push(...groups);
    after += groups.length;
  }
  try {
    const plan = planRebuild({ partition, chunks: checkpoint?.chunks ?? [], tail });
    const { rows, find } = await readNeeded({ store, specs, plan });
    const book = rebuild(plan, { epoch, rows, findSpec: find });
    return {
      book,
      tailFacts: plan.tail.reduce((sum, { facts }) => sum + facts.length, 0),
      tailBytes: tail.reduce((sum, { body }) => sum + body.length, 0),
      checkpointSeq: checkpoint?.seq ?? 0,
    };
  } catch (error) {
    if (error instanceof StoreError) throw error;
    throw new UnreadableJournal(partition, error);
  }
}

/** What a plan needs beside the facts: rows of live runs, and job versions. */
export async function readNeeded(params: {
  store: Store;
  specs: Specs;
  plan: RebuildPlan;
}): Promise<{ rows: Map<number, SubmittedRun>; find: FindSpec }> {
  const { store, specs, plan } = params;
  const rows = await readRows(store, plan.partition, plan.needed);
  // Kept here and not only in the cache: a cache may forget one before it is needed.
  const found = new Map<string, JobSpec | null>();
  for (const version of [...plan.jobVersions, ...rows.map(versionOf)]) {
    const key = keyOf(version.tenant, version.job, version.version);
    if (!found.has(key)) found.set(key, await specs.loadReadable(version));
  }
  const find: FindSpec = (tenant, job, version) => {
    const spec = found.get(keyOf(tenant, job, version));
    if (spec === undefined)
      throw new RangeError(`job ${tenant}/${job} version ${version} not loaded`);
    return spec;
  };
  const submitted = new Map<number, SubmittedRun>();
  for (const row of rows) {
    const spec = find(row.tenant, row.job, row.jobVersion);
    if (spec !== null) submitted.set(row.id.seq, toSubmitted(row, spec));
  }
  const read = new Set(rows.map(({ id }) => id.seq));
  for (const pointer of plan.needed) {
    if (!read.has(pointer.seq)) await store.setAside(missingRun(plan.partition, pointer));
  }
  return { rows: submitted, find };
}

/** A row that is damaged was named by the store already; this adds those that are not there at all. */
function missingRun(partition: number, { seq, ms, tenant }: RunPointer): FoundDamage {
  const key = formatRunId({ ms, partition, seq });
  return { kind: 'run', key, partition, tenant, error: 'the row is missing', bytes: NO_BYTES };
}

function missingGroup(
  partition: number,
  after: number,
  groups: readonly { readonly seq: number }[],
): FoundDamage {
  const gap = groups.findIndex(({ seq }, i) => seq !== after + 1 + i);
  const key = `${partition}/${after + 1 + Math.max(0, gap)}`;
  return {
    kind: 'group',
    key,
    partition,
    tenant: null,
    error: 'the group is missing',
    bytes: NO_BYTES,
  };
}

const NO_BYTES = new Uint8Array(0);

function keyOf(tenant: string, job: string, version: number): string {
  return JSON.stringify([tenant, job, version]);
}

async function readRows(
  store: Store,
  partition: number,
  needed: readonly { seq: number; ms: number; tenant: string }[],
): Promise<RunRow[]> {
  const rows: RunRow[] = [];
  for (let i = 0; i < needed.length; i += ROWS_PER_READ) {
    const ids = needed.slice(i, i + ROWS_PER_READ).map(({ seq, ms, tenant }) => {
      return { tenant, id: { ms, partition, seq } };
    });
    rows.push(...(await store.readRuns({ ids, withInput: false })));
  }
  return rows;
}

function versionOf(row: RunRow): JobVersion {
  return { tenant: row.tenant, job: row.job, version: row.jobVersion };
}

/** A row as the engine knows it. */
export function toSubmitted(row: RunRow, spec: JobSpec): SubmittedRun {
  return {
    seq: row.id.seq,
    ms: row.id.ms,
    spec,
    head: row.head === '' ? {} : (JSON.parse(row.head) as RunHead),
    class: row.class,
    input: row.input,
    inputBytes: row.inputBytes,
  };
}
