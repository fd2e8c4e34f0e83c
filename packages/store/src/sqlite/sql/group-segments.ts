/** The whole of a small table, in order of its primary key. */
export const LIST_GROUP_SEGMENTS = 'SELECT segment FROM group_segments ORDER BY segment';

export const INSERT_GROUP_SEGMENT = 'INSERT INTO group_segments (segment) VALUES (?)';

export const DELETE_GROUP_SEGMENT = 'DELETE FROM group_segments WHERE segment = ?';
