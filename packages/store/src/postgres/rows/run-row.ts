import type { Class, RunId } from '@signalbox/engine';
import type { EndRow, RunRow } from '../../store.ts';
import { unpackEnds, unpackRuns } from '../packs/read-packs.ts';

/** A row of runs: one run, or with a `count` as many neighbours, whose inputs are in the body. */
export interface RunColumns {
  readonly id: RunId;
  readonly count: number | null;
  readonly tenant: string;
  readonly job: string;
  readonly job_version: number;
  readonly class: number;
  readonly head: string;
  readonly input: Uint8Array | null;
  readonly input_bytes: number;
  readonly keys: string;
  readonly body: Uint8Array | null;
}

/** A row of ends, in the same way. */
export interface EndColumns {
  readonly id: RunId;
  readonly count: number | null;
  readonly tenant: string;
  readonly state: string;
  readonly ended_at_ms: number;
  readonly detail: string;
  readonly output: Uint8Array | null;
  readonly body: Uint8Array | null;
}

export function toRunRows(row: RunColumns, withInput = true): RunRow[] {
  const run = {
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
  const { count, body } = row;
  return count === null || body === null ? [run] : unpackRuns(run, { count, body, withInput });
}

export function toEndRows(row: EndColumns): EndRow[] {
  const { id, tenant, state, count, body } = row;
  if (count !== null && body !== null) return unpackEnds({ id, tenant, state }, { count, body });
  return [
    { id, tenant, state, endedAtMs: row.ended_at_ms, detail: row.detail, output: row.output },
  ];
}

/** One column for a list that is nearly always empty: '' then, which costs one byte. */
export function formatKeys(keys: readonly string[]): string {
  return keys.length === 0 ? '' : JSON.stringify(keys);
}

export function parseKeys(text: string): string[] {
  return text === '' ? [] : (JSON.parse(text) as string[]);
}
