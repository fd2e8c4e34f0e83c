// For test files that need PostgreSQL: importing this file starts the run's one server.
import { afterAll, describe, inject } from 'vitest';
import type { Database } from '../postgres/database.ts';
import { createDatabaseOn } from '../postgres/database.ts';
import type { PostgresAnswer } from './vitest-postgres.ts';

const response = await fetch(`http://127.0.0.1:${inject('postgresPort')}`);
const answer = (await response.json()) as PostgresAnswer;
if ('reason' in answer) process.stderr.write(`PostgreSQL tests are skipped: ${answer.reason}\n`);

/** Whether PostgreSQL runs here, for `it.skipIf(!hasPostgres)`; CI treats a skip as a failure. */
export const hasPostgres: boolean = 'url' in answer;

/** `describe` where PostgreSQL runs, `describe.skip` elsewhere. */
export const describePostgres: typeof describe | typeof describe.skip = hasPostgres
  ? describe
  : describe.skip;

const created: Database[] = [];

/** Makes an empty database for the calling file and returns its url; dropped when the file ends. */
export async function createDatabase(): Promise<string> {
  if ('reason' in answer) throw new Error(answer.reason);
  const database = await createDatabaseOn(answer.url);
  created.push(database);
  return database.url;
}

afterAll(async () => {
  for (const database of created.splice(0)) await database.drop();
});
