import { randomBytes } from 'node:crypto';
import pg from 'pg';

export interface Database {
  readonly url: string;
  drop(): Promise<void>;
}

/** Makes an empty database with a name of its own on the server of `adminUrl`. */
export async function createDatabaseOn(adminUrl: string): Promise<Database> {
  const name = `signalbox_${randomBytes(8).toString('hex')}`;
  await execute(adminUrl, `create database ${name}`);
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => execute(adminUrl, `drop database ${name} with (force)`) };
}

async function execute(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
