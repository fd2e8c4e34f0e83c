/** One row by primary key. */
export const deleteNode = 'DELETE FROM nodes WHERE node = ?';
