/** The whole of a small table, in order of its primary key. */
export const LIST_SEGMENTS = 'SELECT segment, sealed, dropped FROM segments ORDER BY segment';
