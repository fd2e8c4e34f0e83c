/** A search by primary key. */
export const READ_KEY = 'SELECT run, inbox FROM keys WHERE tenant = ? AND key = ?';
