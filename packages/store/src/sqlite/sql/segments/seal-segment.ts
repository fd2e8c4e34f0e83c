/** One row by primary key. */
export const sealSegment =
  "UPDATE segments SET state = 'sealed', sealed_at_ms = ? WHERE segment = ? AND state = 'open'";
