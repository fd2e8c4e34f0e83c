import { base } from './0001-base.ts';

/** Builds the script that brings a schema from one version to the next. */
export type Migration = (schema: string) => string;

/**
 * In order: migration n brings the schema from version n - 1 to n. A migration only adds: rows written
 * before it must read correctly after it. `golden/` keeps a store of version 1 that every later version
 * must read.
 */
export const MIGRATIONS: readonly Migration[] = [base];
