import { type Class, type RunId, readRunId } from '@signalbox/engine';
import type { RunRow } from '../../contract/runs.ts';
import type { DamagedRows } from '../../damage/damaged-rows.ts';
import { compareTenantIds } from '../row-blocks/spans.ts';
import { readRunRows } from './run-row.ts';

const ID_BYTES = 16;

/** The one row of `readRunLists`: every column as a list of JSON, null where there is no row. */
export interface RunLists {
  readonly ids: Uint8Array | null;
  readonly counts: string;
  readonly tenants: string;
  readonly jobs: string;
  readonly job_versions: string;
  readonly priorities: string;
  readonly heads: string;
  readonly keys: string;
  readonly input_bytes: string;
  readonly checksums: string;
  readonly input_checksums: string;
  /** The input of a run or the body of a row block; null where a run has none. */
  readonly lengths: string;
  readonly contents: Uint8Array | null;
  /** False if the contents exceeded the limit and were not sent. */
  readonly is_whole: boolean;
}

/** The first id of a row, how many runs follow from it, and the bytes of each on average. */
export interface RowWeight {
  readonly tenant: string;
  readonly id: RunId;
  readonly count: number;
  readonly bytes: number;
}

/** The sizes of the rows, in order by tenant and id, if their contents were not sent. */
export function weighRunLists(lists: RunLists): RowWeight[] {
  const { ids } = lists;
  if (ids === null) return [];
  const counts = JSON.parse(lists.counts) as number[];
  const tenants = JSON.parse(lists.tenants) as string[];
  const lengths = JSON.parse(lists.lengths) as (number | null)[];
  return counts
    .map((count, i) => ({
      tenant: tenants[i] as string,
      id: readRunId(ids, i * ID_BYTES),
      count,
      bytes: (lengths[i] ?? 0) / count,
    }))
    .sort(compareTenantIds);
}

/** Every run of the rows, in order by tenant and id; of a row block also runs that were not requested. */
export function decodeRunLists(damage: DamagedRows, lists: RunLists): RunRow[] {
  const { ids } = lists;
  if (ids === null) return [];
  const counts = JSON.parse(lists.counts) as number[];
  const tenants = JSON.parse(lists.tenants) as string[];
  const jobs = JSON.parse(lists.jobs) as string[];
  const versions = JSON.parse(lists.job_versions) as number[];
  const priorities = JSON.parse(lists.priorities) as Class[];
  const heads = JSON.parse(lists.heads) as string[];
  const keys = JSON.parse(lists.keys) as string[];
  const inputBytes = JSON.parse(lists.input_bytes) as number[];
  const checksums = JSON.parse(lists.checksums) as (number | null)[];
  const inputChecksums = JSON.parse(lists.input_checksums) as (number | null)[];
  const lengths = JSON.parse(lists.lengths) as (number | null)[];
  const runs: RunRow[] = [];
  let at = 0;
  for (const [i, count] of counts.entries()) {
    const length = lengths[i] as number | null;
    const contents =
      length === null ? null : (lists.contents as Uint8Array).subarray(at, at + length);
    at += length ?? 0;
    const read = readRunRows(damage, {
      id: readRunId(ids, i * ID_BYTES),
      count: count === 1 ? null : count,
      tenant: tenants[i] as string,
      job: jobs[i] as string,
      job_version: versions[i] as number,
      priority: priorities[i] as Class,
      head: heads[i] as string,
      // A view would keep the whole result in memory as long as one of its runs lives.
      input: count === 1 ? (contents?.slice() ?? null) : null,
      input_bytes: inputBytes[i] as number,
      keys: keys[i] as string,
      body: count === 1 ? null : contents,
      checksum: checksums[i] as number | null,
      input_checksum: inputChecksums[i] as number | null,
    });
    for (const run of read ?? []) runs.push(run);
  }
  return runs.sort(compareTenantIds);
}
