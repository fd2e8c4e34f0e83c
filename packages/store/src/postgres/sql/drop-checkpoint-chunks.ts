import { sql } from './statement.ts';

/** The chunks of the checkpoint that is being replaced, by the first two columns of the primary key. */
export const dropCheckpointChunks = sql(
  'drop_checkpoint_chunks',
  (s) => `delete from ${s}.checkpoint_chunks where partition = $1 and seq <> $2`,
);
