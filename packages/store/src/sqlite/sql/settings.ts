/** A search by primary key in a table of a handful of rows. */
export const READ_SETTING = 'SELECT value FROM settings WHERE name = ?';

/** The first value stays: a segment's width may not change under the rows that lie in it. */
export const INSERT_SETTING = 'INSERT OR IGNORE INTO settings (name, value) VALUES (?, ?)';

/** One row in place: a write whose only purpose is to be durable. */
export const COUNT_SETTLEMENT = `
INSERT INTO settings (name, value) VALUES ('settlements', 1)
ON CONFLICT (name) DO UPDATE SET value = value + 1`;
