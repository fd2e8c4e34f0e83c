import type { RunRow } from '../../store.ts';
import type { Context } from '../context.ts';
import { keysText } from '../rows.ts';
import { insertRuns } from '../sql/insert-runs.ts';
import { bySegment } from './by-segment.ts';
import { type BatchTable, scratchId, writeInBatches } from './row-batch.ts';

const bind: BatchTable<RunRow>['bind'] = (values, run, index) => {
  values.push(
    run.tenant,
    scratchId(index, run.id),
    run.job,
    run.jobVersion,
    run.class,
    run.head,
    keysText(run.keys),
    run.inputBytes,
    run.input,
  );
};

export function writeRuns({ db, catalog }: Context, runs: readonly RunRow[]): void {
  bySegment(catalog, runs, (segment, rows) =>
    writeInBatches(db, rows, { sql: (rowCount) => insertRuns(segment, rowCount), bind }),
  );
}
