/**
 * A range of the primary key, in its order; for each row the end of its name is looked up, and only
 * the newest version passes.
 */
export function listDefinitions(filter: { isFirstPage: boolean; includeDeleted: boolean }): string {
  return `
SELECT tenant, kind, name, version, body, author, at_ms, deleted, checksum FROM definitions d
WHERE tenant = ? AND kind = ? AND name ${filter.isFirstPage ? '>=' : '>'} ?
AND version = (
  SELECT max(n.version) FROM definitions n
  WHERE n.tenant = d.tenant AND n.kind = d.kind AND n.name = d.name
)
${filter.includeDeleted ? '' : 'AND deleted = 0'}
ORDER BY name LIMIT ?`;
}
