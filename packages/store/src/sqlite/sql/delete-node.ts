/** One row by primary key. */
export const DELETE_NODE = 'DELETE FROM nodes WHERE node = ?';
