import type { Database } from '../database.ts';

/** One step of the schema. It only adds: rows written before it must read correctly after it. */
export interface Migration {
  readonly version: number;
  readonly name: string;
  apply(db: Database): void;
}
