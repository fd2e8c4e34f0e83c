/** One row by primary key; a key that is taken changes nothing. */
export const reserveKey =
  'INSERT OR IGNORE INTO keys (tenant, key, run, entry, checksum) VALUES (?, ?, ?, ?, ?)';
