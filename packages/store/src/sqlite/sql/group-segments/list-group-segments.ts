/** The whole of a small table, in order of its primary key. */
export const listGroupSegments = 'SELECT segment FROM group_segments ORDER BY segment';
