import { compareRunIds, type RunId } from '@signalbox/engine';
import { StoreError } from '../../errors.ts';
import type { CommitPart, EndRow, RunRow } from '../../store.ts';

/**
 * Neighbours of a commit that share a row: rows[from] to rows[to - 1], whose ids follow each other
 * without a gap in one millisecond of one partition. No other run can lie between them, so the row
 * that covers an id is the one with the greatest first id up to it.
 */
export interface Pack<Row> {
  readonly rows: readonly Row[];
  readonly from: number;
  readonly to: number;
}

export interface Cut<Row> {
  /** Rows without a neighbour that they could share with. */
  readonly singles: readonly Row[];
  readonly packs: readonly Pack<Row>[];
}

/** With what else is in its row a larger body passes 2 kB, and the server tears it into pieces. */
const PACK_BYTES_MAX = 1_800;
/** What a look for the pack with a given id in it has to pass at most. */
export const PACK_COUNT_MAX = 32;
/** How many runs a row holds, as far as a row may hold any: a damaged count must not be believed. */
export function packCount(count: number | null): number {
  return count === null ? 1 : Math.min(Math.max(1, count), PACK_COUNT_MAX);
}

/** What the lengths of a member take beside its contents, see `bind-packs.ts`. */
const RUN_BYTES = 8;
const END_BYTES = 20;

/** Runs of one request mostly say the same of themselves, apart from their inputs. */
export function cutRuns(parts: readonly CommitPart[]): Cut<RunRow> {
  const cut: MutableCut<RunRow> = { singles: [], packs: [] };
  for (const { runs } of parts) cutRows(inOrder(runs), RUNS, cut);
  return cut;
}

/** Ends come in the order in which handlers finished; neighbours are found by putting them in order. */
export function cutEnds(parts: readonly CommitPart[]): Cut<EndRow> {
  const cut: MutableCut<EndRow> = { singles: [], packs: [] };
  for (const { ends } of parts) cutRows(inOrder(ends), ENDS, cut);
  return cut;
}

interface MutableCut<Row> {
  readonly singles: Row[];
  readonly packs: Pack<Row>[];
}

interface Kind<Row> {
  /** Whether the columns that a pack has only once are the same. */
  areAlike(a: Row, b: Row): boolean;
  bytesOf(row: Row): number;
}

const RUNS: Kind<RunRow> = { areAlike: areRunsAlike, bytesOf: runBytes };
const ENDS: Kind<EndRow> = { areAlike: areEndsAlike, bytesOf: endBytes };

function cutRows<Row extends Owned>(
  rows: readonly Row[],
  { areAlike, bytesOf }: Kind<Row>,
  { singles, packs }: MutableCut<Row>,
): void {
  let from = 0;
  while (from < rows.length) {
    let last = rows[from] as Row;
    let bytes = bytesOf(last);
    let to = from + 1;
    for (; to < rows.length && to - from < PACK_COUNT_MAX; to++) {
      const next = rows[to] as Row;
      if (!follows(last.id, next.id) || !areAlike(last, next)) break;
      bytes += bytesOf(next);
      if (bytes > PACK_BYTES_MAX) break;
      last = next;
    }
    if (to === from + 1) singles.push(last);
    else packs.push({ rows, from, to });
    from = to;
  }
}

export function follows(a: RunId, b: RunId): boolean {
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
  // A text that is not ASCII takes more; a body that is torn by that is read all the same.
  return END_BYTES + detail.length + (output?.length ?? 0);
}

/** Rows by their ids. One that is there twice would be covered twice, and contradict itself (I3). */
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
