import type { Class, RunId } from '@signalbox/engine';
import type { EndRow, RunRow, StoredRun } from '../../store.ts';

/** A run as the columns of `sql/run-columns.ts` bring it. */
export interface RunColumns {
  readonly id: RunId;
  readonly tenant: string;
  readonly job: string;
  readonly job_version: number;
  readonly class: number;
  readonly head: string;
  readonly input: Uint8Array | null;
  readonly input_bytes: number;
  readonly keys: string;
}

/** Null in every column where the run has not ended. */
export interface EndColumns {
  readonly state: string | null;
  readonly ended_at_ms: number;
  readonly detail: string;
  readonly output: Uint8Array | null;
}

export function toRunRow(row: RunColumns): RunRow {
  return {
    id: row.id,
    tenant: row.tenant,
    job: row.job,
    jobVersion: row.job_version,
    class: row.class as Class,
    head: row.head,
    input: row.input,
    inputBytes: row.input_bytes,
    keys: parseKeys(row.keys),
  };
}

export function toStoredRun(row: RunColumns & EndColumns): StoredRun {
  return { run: toRunRow(row), end: row.state === null ? null : toEndRow(row, row.state) };
}

function toEndRow(row: RunColumns & EndColumns, state: string): EndRow {
  const { id, tenant, ended_at_ms: endedAtMs, detail, output } = row;
  return { id, tenant, state, endedAtMs, detail, output };
}

/** One column for a list that is nearly always empty: '' then, which costs one byte. */
export function formatKeys(keys: readonly string[]): string {
  return keys.length === 0 ? '' : JSON.stringify(keys);
}

export function parseKeys(text: string): string[] {
  return text === '' ? [] : (JSON.parse(text) as string[]);
}
