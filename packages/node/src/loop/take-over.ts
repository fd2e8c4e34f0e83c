import {
  type Book,
  type JobVersion,
  planRebuild,
  type RunHead,
  rebuild,
  type SubmittedRun,
  type TailGroup,
} from '@signalbox/engine';
import type { RunRow, Store } from '@signalbox/store';
import type { Specs } from './specs.ts';

const GROUPS_PER_READ = 500;
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
}): Promise<Book> {
  const { store, specs, partition, epoch, fenceSeq } = params;
  const checkpoint = await store.readCheckpoint(partition);
  const tail: TailGroup[] = [];
  for (let after = checkpoint?.seq ?? 0; after < fenceSeq; ) {
    const groups = await store.readGroups({ partition, afterSeq: after, limit: GROUPS_PER_READ });
    const last = groups.at(-1);
    if (last === undefined)
      throw new RangeError(`groups of partition ${partition} end at ${after}`);
    tail.push(...groups);
    after = last.seq;
  }
  const plan = planRebuild({ partition, chunks: checkpoint?.chunks ?? [], tail });
  const rows = await readRows(store, partition, plan.needed);
  const versions = new Map<string, JobVersion>();
  for (const version of [...plan.jobVersions, ...rows.map(versionOf)]) {
    versions.set(JSON.stringify([version.tenant, version.job, version.version]), version);
  }
  for (const version of versions.values()) await specs.load(version);
  const find = (tenant: string, job: string, version: number) => {
    const spec = specs.known({ tenant, job, version });
    if (spec === undefined)
      throw new RangeError(`job ${tenant}/${job} version ${version} not loaded`);
    return spec;
  };
  const submitted = new Map(rows.map((row) => [row.id.seq, toSubmitted(row, find)]));
  return rebuild(plan, { epoch, rows: submitted, findSpec: find });
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

/** A row as the engine knows it; the spec must have been loaded. */
export function toSubmitted(
  row: RunRow,
  find: (tenant: string, job: string, version: number) => SubmittedRun['spec'],
): SubmittedRun {
  return {
    seq: row.id.seq,
    ms: row.id.ms,
    spec: find(row.tenant, row.job, row.jobVersion),
    head: row.head === '' ? {} : (JSON.parse(row.head) as RunHead),
    class: row.class,
    input: row.input,
    inputBytes: row.inputBytes,
  };
}
