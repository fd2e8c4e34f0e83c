/** One row by primary key. */
export const deleteInbox = 'DELETE FROM inbox WHERE id = ?';
