/** One row at the end of the primary key. */
export const insertSchemaVersion = 'INSERT INTO schema_migrations (version) VALUES (?)';
