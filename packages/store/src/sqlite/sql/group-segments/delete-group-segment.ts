/** One row by primary key. */
export const deleteGroupSegment = 'DELETE FROM group_segments WHERE segment = ?';
