/** The first value stays: a segment's width may not change under the rows that lie in it. */
export const insertSetting = 'INSERT OR IGNORE INTO settings (name, value) VALUES (?, ?)';
