import { type Class, readRunId } from '@signalbox/engine';
import type { ParkedCursor, ParkedRun } from '../../store.ts';
import { parseKeys } from './run-row.ts';

const ID_BYTES = 16;

/** The one row of `sql/read-parked.ts`: every column of the page as a list, null for an empty page. */
export interface ParkedColumns {
  readonly ids: Uint8Array | null;
  /** The lists are JSON; in all but `sorts` a null stands for a run that has ended. */
  readonly sorts: string;
  readonly tenants: string;
  readonly jobs: string;
  readonly job_versions: string;
  readonly classes: string;
  readonly heads: string;
  readonly keys: string;
  readonly input_bytes: string;
  readonly input_lengths: string;
  readonly inputs: Uint8Array | null;
}

/** The first `limit` rows of the page as runs, without those that have ended. */
export function unpackParked(
  page: ParkedColumns,
  limit: number,
): { runs: ParkedRun[]; last: ParkedCursor | null; exhausted: boolean } {
  const { ids } = page;
  if (ids === null) return { runs: [], last: null, exhausted: true };
  const sorts = JSON.parse(page.sorts) as number[];
  const tenants = JSON.parse(page.tenants) as (string | null)[];
  const jobs = JSON.parse(page.jobs) as string[];
  const versions = JSON.parse(page.job_versions) as number[];
  const classes = JSON.parse(page.classes) as Class[];
  const heads = JSON.parse(page.heads) as string[];
  const keys = JSON.parse(page.keys) as string[];
  const inputBytes = JSON.parse(page.input_bytes) as number[];
  const inputLengths = JSON.parse(page.input_lengths) as (number | null)[];
  const runs: ParkedRun[] = [];
  const count = Math.min(sorts.length, limit);
  let inputAt = 0;
  for (let i = 0; i < count; i++) {
    const tenant = tenants[i] as string | null;
    if (tenant === null) continue;
    const length = inputLengths[i] as number | null;
    const sort = sorts[i] as number;
    const run = {
      id: readRunId(ids, i * ID_BYTES),
      tenant,
      job: jobs[i] as string,
      jobVersion: versions[i] as number,
      class: classes[i] as Class,
      head: heads[i] as string,
      input: length === null ? null : copyOf(page.inputs as Uint8Array, inputAt, length),
      inputBytes: inputBytes[i] as number,
      keys: parseKeys(keys[i] as string),
    };
    inputAt += length ?? 0;
    runs.push({ sort, run });
  }
  const last = { sort: sorts[count - 1] as number, id: readRunId(ids, (count - 1) * ID_BYTES) };
  return { runs, last, exhausted: sorts.length <= limit };
}

/** A view would keep the whole page in memory for as long as one run of it lives. */
function copyOf(bytes: Uint8Array, at: number, length: number): Uint8Array {
  const copy = Buffer.copyBytesFrom(bytes, at, length);
  return new Uint8Array(copy.buffer, copy.byteOffset, length);
}
