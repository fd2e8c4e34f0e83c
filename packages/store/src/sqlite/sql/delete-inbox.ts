/** One row by primary key. */
export const DELETE_INBOX = 'DELETE FROM inbox WHERE id = ?';
