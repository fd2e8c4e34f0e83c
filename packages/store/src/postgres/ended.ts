import { readRunId } from '@signalbox/engine';
import { type Step, step } from './connection/step.ts';
import type { Database } from './database.ts';
import { blockCount } from './row-blocks/cut-row-blocks.ts';
import { idAfter } from './row-blocks/read-row-blocks.ts';
import { bindSpans, SPAN_PARAMETERS, type Span } from './row-blocks/spans.ts';
import { nameOf } from './runs.ts';
import { readEnded } from './sql/ends/read-ended.ts';

const ID_BYTES = 16;

/** The one row of `readEnded`: lists, null where nothing has ended. */
interface EndedColumns {
  readonly ids: Uint8Array | null;
  readonly counts: string;
  readonly tenants: string;
}

export function readEndedStep(database: Database, spans: readonly Span[]): Step {
  return step(readEnded(database.schema), SPAN_PARAMETERS, (writer) => bindSpans(writer, spans));
}

/** Names of the runs that have ended, see `nameOf`. */
export function endedOf(row: object | undefined): ReadonlySet<string> {
  const { ids, counts, tenants } = row as EndedColumns;
  const names = new Set<string>();
  if (ids === null) return names;
  const tenantAt = JSON.parse(tenants) as string[];
  for (const [i, count] of (JSON.parse(counts) as number[]).entries()) {
    const first = readRunId(ids, i * ID_BYTES);
    const tenant = tenantAt[i] as string;
    for (let offset = 0; offset < blockCount(count); offset++)
      names.add(nameOf(tenant, idAfter(first, offset)));
  }
  return names;
}
