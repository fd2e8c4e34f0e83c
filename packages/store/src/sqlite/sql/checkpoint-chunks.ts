/** A range of the primary key, in its order. */
export const READ_CHUNKS = `
SELECT bytes FROM checkpoint_chunks WHERE partition = ? ORDER BY number`;

export const DELETE_CHUNKS = 'DELETE FROM checkpoint_chunks WHERE partition = ?';

export const INSERT_CHUNK = `
INSERT INTO checkpoint_chunks (partition, number, bytes) VALUES (?, ?, ?)`;

export const READ_OLDER_CHUNKS = `
SELECT bytes FROM older_checkpoint_chunks WHERE partition = ? ORDER BY number`;

export const DELETE_OLDER_CHUNKS = 'DELETE FROM older_checkpoint_chunks WHERE partition = ?';
