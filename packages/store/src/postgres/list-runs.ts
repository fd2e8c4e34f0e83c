import { compareRunIds, type RunId } from '@signalbox/engine';
import type { EndRow, Store, StoredRun } from '../store.ts';
import { requireTexts } from '../validate-text.ts';
import { step } from './connection/step.ts';
import type { Database } from './database.ts';
import { endedOf, readEndedStep } from './ended.ts';
import { idAfter } from './packs/read-packs.ts';
import { bindSpans, SPAN_PARAMETERS, spansOf } from './packs/spans.ts';
import { type EndColumns, type RunColumns, toEndRows } from './rows/run-row.ts';
import { nameOf, pickRuns, readRunsStep } from './runs.ts';
import { listRuns as listRunsSql } from './sql/list-runs.ts';
import { readEnds } from './sql/read-ends.ts';

type Query = Parameters<Store['listRuns']>[0];

/** Above every id of this age of the world. */
const NO_CURSOR: RunId = { ms: 2 ** 48 - 1, partition: 0, seq: 0 };
/** Rows looked at in one round trip where a filter may leave out most of them. */
const LOOK_ROWS = 500;

/** First which runs, by what is small; then those alone, whole. */
export async function listRuns(database: Database, query: Query): Promise<StoredRun[]> {
  const { tenant, job, ended, withPayloads = true } = query;
  requireTexts({ tenant, job });
  const chosen = await chooseRuns(database, query);
  if (chosen.length === 0) return [];
  const wanted = chosen.map((id) => ({ tenant, id })).reverse();
  const spans = spansOf(wanted);
  const [runs, ends] = await database.pipeline(
    database.pool,
    [
      readRunsStep(database, spans, withPayloads),
      step(readEnds(database.schema), SPAN_PARAMETERS + 1, (writer) => {
        bindSpans(writer, spans);
        writer.bool(withPayloads);
      }),
    ],
    'none',
  );
  const endOf = new Map<string, EndRow>();
  for (const end of (ends as unknown as EndColumns[]).flatMap(toEndRows)) {
    endOf.set(nameOf(end.tenant, end.id), withPayloads ? end : { ...end, output: null });
  }
  return (
    pickRuns(runs as unknown as RunColumns[], wanted, withPayloads)
      .reverse()
      // One that was open when it was chosen is answered as it was then.
      .map((run) => ({
        run,
        end: ended === false ? null : (endOf.get(nameOf(tenant, run.id)) ?? null),
      }))
  );
}

/** A filter that matches rarely reads on until it is filled, or nothing is left. */
async function chooseRuns(database: Database, query: Query): Promise<RunId[]> {
  const { tenant, before, limit, job, ended } = query;
  const rowsMax = ended === undefined ? limit : Math.max(limit, LOOK_ROWS);
  const chosen: RunId[] = [];
  for (let cursor = before ?? NO_CURSOR; ; ) {
    const rows = await database.read<{ id: RunId; count: number }>(
      step(listRunsSql(database.schema), 4, (writer) => {
        writer.text(tenant);
        writer.uuid(cursor);
        writer.nullableText(job ?? null);
        writer.int8(rowsMax);
      }),
    );
    const ids = rows.flatMap(backwards).filter((id) => compareRunIds(id, cursor) < 0);
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
  return Array.from({ length: count }, (_, i) => idAfter(id, count - 1 - i));
}
