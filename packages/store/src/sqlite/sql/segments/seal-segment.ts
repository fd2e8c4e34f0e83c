/** One row by primary key. */
export const sealSegment =
  'UPDATE segments SET sealed = 1, sealed_at_ms = ? WHERE segment = ? AND dropped = 0';
