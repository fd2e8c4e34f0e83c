/** One row by primary key. */
export const forgetDamagedRow = 'DELETE FROM damaged_rows WHERE kind = ? AND key = ?';
