/** One row by primary key. */
export const readDamagedEntry = "SELECT 1 FROM damaged_rows WHERE kind = 'inbox' AND key = ?";
