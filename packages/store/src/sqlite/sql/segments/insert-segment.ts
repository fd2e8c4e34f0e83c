/** One row by primary key. */
export const insertSegment = 'INSERT INTO segments (segment, sealed, dropped) VALUES (?, 0, 0)';
