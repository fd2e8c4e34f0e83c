/** A search by primary key. */
export const READ_KEY = 'SELECT run FROM keys WHERE tenant = ? AND key = ?';
