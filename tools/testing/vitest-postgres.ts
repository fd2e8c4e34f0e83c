// One PostgreSQL server for a whole test run, started by the first test file
// that asks for it: a run of pure tests does not pay for a server.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestProject } from 'vitest/node';
import type { PostgresServer } from '../postgres.ts';
import { startPostgres } from '../postgres.ts';

/** What a test file gets when it asks: an administrator's url, or why there is none. */
export type PostgresAnswer = { readonly url: string } | { readonly reason: string };

declare module 'vitest' {
  interface ProvidedContext {
    postgresPort: number;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  let starting: Promise<PostgresServer> | undefined;
  const answer = async (): Promise<PostgresAnswer> => {
    starting ??= startPostgres();
    try {
      return { url: (await starting).url };
    } catch (error) {
      return { reason: error instanceof Error ? error.message : String(error) };
    }
  };
  const server = createServer((_, response) => {
    answer().then((value) => response.end(JSON.stringify(value)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  project.provide('postgresPort', (server.address() as AddressInfo).port);
  return async () => {
    server.closeAllConnections();
    server.close();
    await starting?.then((postgres) => postgres.stop()).catch(() => {});
  };
}
