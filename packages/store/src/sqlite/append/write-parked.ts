import type { ParkedRow } from '../../contract/parked.ts';
import { parkedChecksum } from '../../damage/row-checksums.ts';
import type { Context } from '../context.ts';
import { insertParked } from '../sql/parked/insert-parked.ts';
import { bySegment } from './by-segment.ts';
import { scratchId, writeInBatches } from './row-batch.ts';

export function writeParked(
  { db, catalog }: Context,
  partition: number,
  parked: readonly ParkedRow[],
): void {
  bySegment(catalog, parked, (segment, rows) =>
    writeInBatches(db, rows, {
      sql: (rowCount) => insertParked(segment, rowCount),
      bind: (values, row, index) => {
        const { lane, sort, id, tenant } = row;
        const checksum = parkedChecksum(partition, row);
        values.push(partition, lane, sort, scratchId(index, id), tenant, checksum);
      },
    }),
  );
}
