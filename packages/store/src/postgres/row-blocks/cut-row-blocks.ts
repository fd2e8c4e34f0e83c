import { compareRunIds, type RunId } from '@signalbox/engine';
import type { CommitPart } from '../../contract/journal.ts';
import type { EndRow, RunRow } from '../../contract/runs.ts';
import { StoreError } from '../../errors.ts';

/*
 * Row blocks: consecutive runs, or consecutive ends, of one commit in one table row.
 *
 *   runs of a commit ─cutRuns─▶ singles ──────────────▶ one row each (`count` is null)
 *                            └▶ row blocks ─bindRunBlocks─▶ one row: first id, last id, count, body
 *   row ─toRunRows/toEndRows (rows/run-row.ts)─▶ runs or ends, as if each had its own row
 *
 * A row block never changes: it is inserted with its commit and dropped with its segment. A row block of
 * runs and the row blocks of their ends are independent; ends are grouped by the commit that ends them.
 *
 * Callers: `append/encode-commit.ts` cuts and binds; every reader of runs and ends finds rows by spans
 * (`spans.ts`) and expands them. Nothing outside `postgres/` can observe a row block.
 *
 * Atomic: a row block is written with its commit. The primary key only covers the first id, so `append`
 * refuses ids inside existing blocks by a separate statement before it inserts (`refuseCovered`,
 * `refuseEndsInBlocks`); only the owner of the partition writes these ids, under the fence (I9).
 *
 * Failures: a row whose checksum does not match is one damaged row, and all of its members are damaged.
 */

/**
 * rows[from] to rows[to - 1], whose ids are consecutive in one millisecond of one partition. No other run
 * can lie between them, so the row that covers an id is the row with the greatest first id up to it.
 */
export interface RowBlock<Row> {
  readonly rows: readonly Row[];
  readonly from: number;
  readonly to: number;
}

export interface Cut<Row> {
  /** Rows that are stored alone. */
  readonly singles: readonly Row[];
  readonly blocks: readonly RowBlock<Row>[];
}

/** Keeps the tuple below PostgreSQL's TOAST threshold (about 2 kB). */
const BLOCK_BYTES_MAX = 1_800;
/** Bounds how far back a search for the row block of an id has to look. */
export const BLOCK_COUNT_MAX = 32;
/** The number of runs in a row, limited to valid values, because the count may be damaged. */
export function blockCount(count: number | null): number {
  return count === null ? 1 : Math.min(Math.max(1, count), BLOCK_COUNT_MAX);
}

/** Bytes per member besides its contents, see `bind-row-blocks.ts`. */
const RUN_BYTES = 8;
const END_BYTES = 20;

/** Runs of one request mostly differ in their inputs only. */
export function cutRuns(parts: readonly CommitPart[]): Cut<RunRow> {
  const cut: MutableCut<RunRow> = { singles: [], blocks: [] };
  for (const { runs } of parts) cutRows(inOrder(runs), RUNS, cut);
  return cut;
}

/** Ends arrive in the order in which handlers finished; sorted by id, consecutive ends are adjacent. */
export function cutEnds(parts: readonly CommitPart[]): Cut<EndRow> {
  const cut: MutableCut<EndRow> = { singles: [], blocks: [] };
  for (const { ends } of parts) cutRows(inOrder(ends), ENDS, cut);
  return cut;
}

interface MutableCut<Row> {
  readonly singles: Row[];
  readonly blocks: RowBlock<Row>[];
}

interface Kind<Row> {
  /** Whether the columns that a row block stores once are equal. */
  areAlike(a: Row, b: Row): boolean;
  bytesOf(row: Row): number;
}

const RUNS: Kind<RunRow> = { areAlike: areRunsAlike, bytesOf: runBytes };
const ENDS: Kind<EndRow> = { areAlike: areEndsAlike, bytesOf: endBytes };

function cutRows<Row extends Owned>(
  rows: readonly Row[],
  { areAlike, bytesOf }: Kind<Row>,
  { singles, blocks }: MutableCut<Row>,
): void {
  let from = 0;
  while (from < rows.length) {
    let last = rows[from] as Row;
    let bytes = bytesOf(last);
    let to = from + 1;
    for (; to < rows.length && to - from < BLOCK_COUNT_MAX; to++) {
      const next = rows[to] as Row;
      if (!isConsecutive(last.id, next.id) || !areAlike(last, next)) break;
      bytes += bytesOf(next);
      if (bytes > BLOCK_BYTES_MAX) break;
      last = next;
    }
    if (to === from + 1) singles.push(last);
    else blocks.push({ rows, from, to });
    from = to;
  }
}

export function isConsecutive(a: RunId, b: RunId): boolean {
  return b.seq === a.seq + 1 && b.ms === a.ms && b.partition === a.partition;
}

function areRunsAlike(a: RunRow, b: RunRow): boolean {
  return (
    a.keys.length === 0 &&
    b.keys.length === 0 &&
    a.tenant === b.tenant &&
    a.job === b.job &&
    a.jobVersion === b.jobVersion &&
    a.class === b.class &&
    a.head === b.head
  );
}

function areEndsAlike(a: EndRow, b: EndRow): boolean {
  return a.state === b.state && a.tenant === b.tenant;
}

function runBytes({ input }: RunRow): number {
  return RUN_BYTES + (input?.length ?? 0);
}

function endBytes({ detail, output }: EndRow): number {
  // Text outside ASCII takes more bytes; a body that passes the threshold is still read correctly.
  return END_BYTES + detail.length + (output?.length ?? 0);
}

/** Rows sorted by id. A second row for the same id would contradict the first (I3). */
function inOrder<Row extends Owned>(rows: readonly Row[]): readonly Row[] {
  let sorted = rows;
  for (let i = 1; i < sorted.length; i++) {
    let order = compareRunIds((sorted[i - 1] as Row).id, (sorted[i] as Row).id);
    if (order > 0 && sorted === rows) {
      sorted = rows.toSorted((a, b) => compareRunIds(a.id, b.id));
      i = 1;
      order = compareRunIds((sorted[0] as Row).id, (sorted[1] as Row).id);
    }
    if (order === 0 && (sorted[i - 1] as Row).tenant === (sorted[i] as Row).tenant) {
      throw new StoreError('invalid', 'a commit has two rows for one run');
    }
  }
  return sorted;
}

interface Owned {
  readonly id: RunId;
  readonly tenant: string;
}
