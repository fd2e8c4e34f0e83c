import { sql } from '../statement.ts';

/** One chunk per statement: a checkpoint may be larger than a message should be. */
export const writeCheckpointChunk = sql(
  'write_checkpoint_chunk',
  (s) => `
insert into ${s}.checkpoint_chunks (partition, seq, number, body) values ($1, $2, $3, $4)`,
);
