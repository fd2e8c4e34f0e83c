/** A search by primary key. */
export const readKey =
  'SELECT tenant, key, run, entry, at_ms, checksum FROM keys WHERE tenant = ? AND key = ?';
