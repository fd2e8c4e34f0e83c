/** A search by primary key in a table of a handful of rows. */
export const readSetting = 'SELECT value FROM settings WHERE name = ?';
