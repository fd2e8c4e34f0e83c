/** One row by primary key. */
export const insertSegment = "INSERT INTO segments (segment, state) VALUES (?, 'open')";
