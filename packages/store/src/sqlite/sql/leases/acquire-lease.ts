/** One row by primary key. The epoch only rises (I7), whatever the caller thinks it is. */
export const acquireLease = `
INSERT INTO leases (partition, owner, epoch, expires_at_ms, last_seq) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (partition) DO UPDATE SET
  owner = excluded.owner, epoch = excluded.epoch,
  expires_at_ms = excluded.expires_at_ms, last_seq = excluded.last_seq
WHERE excluded.epoch > epoch AND excluded.last_seq > last_seq`;
