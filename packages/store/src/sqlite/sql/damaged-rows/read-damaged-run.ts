/** One row by primary key. */
export const readDamagedRun =
  "SELECT 1 FROM damaged_rows WHERE kind = 'run' AND key = ? AND tenant = ?";
