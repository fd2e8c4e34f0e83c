export {
  createSqliteStore,
  type SqliteStore,
  type SqliteStoreOptions,
} from './create-sqlite-store.ts';
