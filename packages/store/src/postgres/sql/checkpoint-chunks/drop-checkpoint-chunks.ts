import { sql } from '../statement.ts';

/** Chunks of neither the new checkpoint nor the older one, by the first two columns of the primary key. */
export const dropCheckpointChunks = sql(
  'drop_checkpoint_chunks',
  (s) => `
delete from ${s}.checkpoint_chunks where partition = $1 and seq <> $2
  and seq <> coalesce((select seq from ${s}.older_checkpoints where partition = $1), -1)`,
);
