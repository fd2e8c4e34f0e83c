/** The whole of a small table, in order of its primary key. */
export const listSegments = 'SELECT segment, state, sealed_at_ms FROM segments ORDER BY segment';
