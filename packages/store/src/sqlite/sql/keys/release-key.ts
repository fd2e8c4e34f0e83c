/** By primary key, for the entry that goes: another's stays. */
export const releaseKey = `
DELETE FROM keys WHERE entry = ?1 AND (tenant, key) = (SELECT tenant, key FROM inbox WHERE id = ?1)`;
