/** One row at the end of the primary key. */
export const insertGroupSegment = 'INSERT INTO group_segments (segment) VALUES (?)';
