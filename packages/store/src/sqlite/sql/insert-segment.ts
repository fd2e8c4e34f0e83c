/** One row by primary key. */
export const INSERT_SEGMENT = 'INSERT INTO segments (segment, sealed, dropped) VALUES (?, 0, 0)';
