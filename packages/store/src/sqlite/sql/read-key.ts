/** A search by primary key. */
export const READ_KEY =
  'SELECT tenant, key, run, inbox, at_ms, checksum FROM keys WHERE tenant = ? AND key = ?';
