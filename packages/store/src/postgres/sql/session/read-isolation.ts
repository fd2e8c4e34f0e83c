import { sql } from '../statement.ts';

/** The level at which this user's transactions run unless they say otherwise. */
export const readIsolation = sql(
  'read_isolation',
  () => `select current_setting('default_transaction_isolation') as isolation`,
);
