import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';

/** Everything in the files below a folder, as bytes: tables, free pages, write-ahead log and blobs. */
export function dumpFolder(folder: string): Buffer {
  const paths = readdirSync(folder, { recursive: true }).map((path) => join(folder, String(path)));
  return Buffer.concat(paths.filter((path) => statSync(path).isFile()).map((p) => readFileSync(p)));
}

/** Every row of every table of a PostgreSQL database as text, and bytes as they are. */
export async function dumpPostgres(url: string): Promise<Buffer> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows: tables } = await client.query<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables
       where schemaname not in ('pg_catalog', 'information_schema')`,
    );
    const parts: Buffer[] = [];
    for (const { name } of tables) {
      const { rows } = await client.query<Record<string, unknown>>(`select * from ${name}`);
      for (const value of rows.flatMap((row) => Object.values(row))) {
        parts.push(Buffer.isBuffer(value) ? value : Buffer.from(JSON.stringify(value) ?? ''));
      }
    }
    return Buffer.concat(parts);
  } finally {
    await client.end();
  }
}
