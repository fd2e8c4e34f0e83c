export {
  createMemoryStore,
  type MemoryStore,
  type MemoryStoreOptions,
} from './create-memory-store.ts';
