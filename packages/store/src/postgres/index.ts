export { createPostgresStore, type PostgresStore } from './create-postgres-store.ts';
export type { PostgresStoreOptions } from './options.ts';
