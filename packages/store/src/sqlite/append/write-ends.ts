import type { EndRow } from '../../contract/runs.ts';
import { payloadChecksum } from '../../damage/checksum.ts';
import { endChecksum } from '../../damage/row-checksums.ts';
import type { Context } from '../context.ts';
import { insertEnds } from '../sql/ends/insert-ends.ts';
import { bySegment } from './by-segment.ts';
import { type BatchTable, scratchId, writeInBatches } from './row-batch.ts';

const bind: BatchTable<EndRow>['bind'] = (values, end, index) => {
  values.push(
    scratchId(index, end.id),
    end.tenant,
    end.state,
    end.endedAtMs,
    endChecksum(end),
    payloadChecksum(end.output),
    end.detail,
    end.output,
  );
};

export function writeEnds({ db, catalog }: Context, ends: readonly EndRow[]): void {
  bySegment(catalog, ends, (segment, rows) =>
    writeInBatches(db, rows, { sql: (rowCount) => insertEnds(segment, rowCount), bind }),
  );
}
