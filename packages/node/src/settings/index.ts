export { assertStrongKey } from '../auth/strong-key.ts';
export { assertPrivateListener } from './listener.ts';
export * from './read-settings.ts';
export * from './table.ts';
export { duration } from './types.ts';
