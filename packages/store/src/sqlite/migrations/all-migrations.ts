import type { Database } from '../database.ts';
import { base } from './0001-base.ts';

/** Brings a file from one version to the next, including the tables of its segments. */
export type Migration = (db: Database) => void;

/**
 * In order: migration n brings the file from version n - 1 to n. A migration only adds: rows written
 * before it must read correctly after it. `golden/` keeps a store of version 1 that every later version
 * must read.
 */
export const MIGRATIONS: readonly Migration[] = [base];
