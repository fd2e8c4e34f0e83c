/** The whole of a small table, in order of its primary key. */
export const LIST_SEGMENTS =
  'SELECT segment, sealed, sealed_at_ms, dropped FROM segments ORDER BY segment';
