import type { DamagedRows } from '../damage/damaged-rows.ts';
import type { Database } from './database.ts';
import type { SegmentCatalog } from './segment-catalog.ts';

/** What every operation works with. */
export interface Context {
  readonly db: Database;
  readonly catalog: SegmentCatalog;
  /** The store's clock. */
  readonly now: () => number;
  readonly damage: DamagedRows;
}
