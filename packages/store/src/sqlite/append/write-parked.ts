import type { ParkedRow } from '../../store.ts';
import type { Context } from '../context.ts';
import { insertParked } from '../sql/insert-parked.ts';
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
        values.push(partition, row.lane, row.sort, scratchId(index, row.id), row.tenant);
      },
    }),
  );
}
