import { CLOCK_MS, sql } from '../statement.ts';

/** The store's clock. */
export const readNow = sql('read_now', () => `select ${CLOCK_MS} as now_ms`);
