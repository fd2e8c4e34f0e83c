/** A range of the primary key, like `listDefinitions`, without the bodies. */
export const countDefinitions = `
SELECT count(*) AS count FROM definitions d
WHERE tenant = ? AND kind = ? AND deleted = 0
AND version = (
  SELECT max(n.version) FROM definitions n
  WHERE n.tenant = d.tenant AND n.kind = d.kind AND n.name = d.name
)`;
