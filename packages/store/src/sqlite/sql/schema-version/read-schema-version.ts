export const readSchemaVersion = 'SELECT version FROM schema_version WHERE one = 1';
