/** The whole of a small table, in order of its primary key. */
export const listSegments =
  'SELECT segment, sealed, sealed_at_ms, dropped FROM segments ORDER BY segment';
