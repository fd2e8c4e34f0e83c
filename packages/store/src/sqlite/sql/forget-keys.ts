/** A range of keys_by_run from its beginning; each row is then deleted by primary key. */
export const FORGET_KEYS = `
DELETE FROM keys WHERE (tenant, key) IN (
  SELECT tenant, key FROM keys WHERE run < ? ORDER BY run, tenant, key LIMIT ?
)`;
