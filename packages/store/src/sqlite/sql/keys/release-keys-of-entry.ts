/**
 * A scan of the keys, because a damaged entry does not contain its key reliably; there are few such
 * entries. If its id is damaged, its key names an entry that does not exist.
 */
export const releaseKeysOfEntry = `
DELETE FROM keys WHERE entry = ?
OR (entry IS NOT NULL AND NOT EXISTS (SELECT 1 FROM inbox WHERE inbox.id = keys.entry))`;
