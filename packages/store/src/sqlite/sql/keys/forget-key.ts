/** A search by primary key. */
export const forgetKey = 'DELETE FROM keys WHERE tenant = ? AND key = ?';
