import type { RunRow } from '../../contract/runs.ts';
import { payloadChecksum } from '../../damage/checksum.ts';
import { runChecksum } from '../../damage/row-checksums.ts';
import type { Context } from '../context.ts';
import { keysText } from '../rows.ts';
import { insertRuns } from '../sql/runs/insert-runs.ts';
import { bySegment } from './by-segment.ts';
import { type BatchTable, scratchId, writeInBatches } from './row-batch.ts';

const bind: BatchTable<RunRow>['bind'] = (values, run, index) => {
  const keys = keysText(run.keys);
  values.push(
    run.tenant,
    scratchId(index, run.id),
    run.job,
    run.jobVersion,
    run.class,
    run.head,
    keys,
    run.inputBytes,
    runChecksum(run, keys),
    payloadChecksum(run.input),
    run.input,
  );
};

export function writeRuns({ db, catalog }: Context, runs: readonly RunRow[]): void {
  bySegment(catalog, runs, (segment, rows) =>
    writeInBatches(db, rows, { sql: (rowCount) => insertRuns(segment, rowCount), bind }),
  );
}
