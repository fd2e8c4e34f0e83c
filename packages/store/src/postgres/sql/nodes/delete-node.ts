import { sql } from '../statement.ts';

/** By primary key. */
export const deleteNode = sql('delete_node', (s) => `delete from ${s}.nodes where node = $1::text`);
