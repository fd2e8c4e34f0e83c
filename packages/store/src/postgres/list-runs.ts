import { compareRunIds, firstIdOf, type RunId } from '@signalbox/engine';
import type { EndRow, RunRow, StoredRun } from '../contract/runs.ts';
import { damagedRun } from '../damage/damaged-run.ts';
import { ANY_BYTES, storedRunBytes, withinBytes } from '../page-bytes.ts';
import type { Store } from '../store.ts';
import { requireTexts } from '../validate-text.ts';
import { type Step, step } from './connection/step.ts';
import type { Database } from './database.ts';
import { endedOf, readEndedStep } from './ended.ts';
import { blockCount } from './row-blocks/cut-row-blocks.ts';
import { idAfter } from './row-blocks/read-row-blocks.ts';
import { bindSpans, SPAN_PARAMETERS, type Span, spansOf } from './row-blocks/spans.ts';
import { type EndColumns, type RunColumns, readEndRows, readRunRows } from './rows/run-row.ts';
import { mayCover, nameOf } from './runs.ts';
import { readEnds } from './sql/ends/read-ends.ts';
import { listRuns as listRunsSql } from './sql/runs/list-runs.ts';
import { readListedRuns } from './sql/runs/read-runs.ts';

type Query = Parameters<Store['listRuns']>[0];

/** Above every run id. */
const NO_CURSOR: RunId = { ms: 2 ** 48 - 1, partition: 0, seq: 0 };
const FIRST_ID = firstIdOf(0);
/** Rows read per round trip if a filter may exclude most of them. */
const FILTERED_ROWS = 500;

/**
 * Selects the runs of the page by their small columns, then reads whole rows of these runs only. The server
 * stops after the runs that reach the bytes, and after the ends that do; the page ends earlier, where runs
 * and ends together reach them, so no row of the page is missing.
 */
export async function listRuns(database: Database, query: Query): Promise<StoredRun[]> {
  const { tenant, job, ended, withPayloads = true } = query;
  requireTexts({ tenant, job });
  const chosen = await chooseRuns(database, query);
  if (chosen.length === 0) return [];
  const requested = chosen.map((id) => ({ tenant, id })).reverse();
  const spans = spansOf(requested);
  const [runs, ends] = await database.pipeline(
    database.pool,
    [
      listStep(readListedRuns(database.schema), spans, query),
      listStep(readEnds(database.schema), spans, query),
    ],
    'none',
  );
  const broken: (EndColumns | RunColumns)[] = [];
  const endOf = new Map<string, EndRow>();
  for (const row of ends as unknown as EndColumns[]) {
    const read = readEndRows(database.damage, row, withPayloads);
    if (read === null) broken.push(row);
    for (const end of read ?? []) {
      endOf.set(nameOf(end.tenant, end.id), withPayloads ? end : { ...end, output: null });
    }
  }
  const runOf = new Map<string, RunRow>();
  for (const row of runs as unknown as RunColumns[]) {
    const read = readRunRows(database.damage, row, withPayloads);
    if (read === null) broken.push(row);
    for (const run of read ?? []) runOf.set(nameOf(run.tenant, run.id), run);
  }
  const page = chosen.flatMap((id): StoredRun | [] => {
    const name = nameOf(tenant, id);
    if (broken.some((row) => mayCover(row, id))) return damagedRun(tenant, id);
    const run = runOf.get(name);
    // If a run ends between the two queries, return it as open, consistent with the page.
    return run === undefined
      ? []
      : { run, end: ended === false ? null : (endOf.get(name) ?? null) };
  });
  return withinBytes(page, query.bytes, storedRunBytes);
}

function listStep(
  statement: Parameters<typeof step>[0],
  spans: readonly Span[],
  { withPayloads = true, bytes = ANY_BYTES }: Query,
): Step {
  return step(statement, SPAN_PARAMETERS + 2, (writer) => {
    bindSpans(writer, spans);
    writer.bool(withPayloads);
    writer.int8(bytes);
  });
}

/** A filter that matches rarely reads on until it is filled, or nothing is left. */
async function chooseRuns(database: Database, query: Query): Promise<RunId[]> {
  const { tenant, before, from = FIRST_ID, limit, job, ended } = query;
  const rowsMax = ended === undefined ? limit : Math.max(limit, FILTERED_ROWS);
  const chosen: RunId[] = [];
  for (let cursor = before ?? NO_CURSOR; ; ) {
    const rows = await database.read<{ id: RunId; count: number }>(
      step(listRunsSql(database.schema), 5, (writer) => {
        writer.text(tenant);
        writer.uuid(cursor);
        // A row may begin before `from` and reach it, but all of its runs are of one millisecond.
        writer.uuid(firstIdOf(from.ms));
        writer.nullableText(job ?? null);
        writer.int8(rowsMax);
      }),
    );
    const ids = rows
      .flatMap(backwards)
      .filter((id) => compareRunIds(id, cursor) < 0 && compareRunIds(id, from) >= 0);
    const matching = ended === undefined ? ids : await ofState(database, { tenant, ids, ended });
    for (const id of matching) {
      if (chosen.length === limit) return chosen;
      chosen.push(id);
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < rowsMax) return chosen;
    cursor = last.id;
  }
}

async function ofState(
  database: Database,
  { tenant, ids, ended }: { tenant: string; ids: readonly RunId[]; ended: boolean },
): Promise<readonly RunId[]> {
  if (ids.length === 0) return ids;
  const spans = spansOf(ids.map((id) => ({ tenant, id })).reverse());
  const [columns] = await database.read(readEndedStep(database, spans));
  const hasEnded = endedOf(columns);
  return ids.filter((id) => hasEnded.has(nameOf(tenant, id)) === ended);
}

function backwards({ id, count }: { id: RunId; count: number }): RunId[] {
  const length = blockCount(count);
  return Array.from({ length }, (_, i) => idAfter(id, length - 1 - i));
}
