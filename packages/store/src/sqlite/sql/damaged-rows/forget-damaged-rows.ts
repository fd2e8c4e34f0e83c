/** All rows. */
export const forgetDamagedRows = 'DELETE FROM damaged_rows';
