import { copyFileSync, cpSync, existsSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { createDatabaseOn } from '../../tools/postgres/database.ts';
import type { Value } from './damage-value.ts';
import { POSTGRES_TABLES, SQLITE_TABLES, type Table } from './tables.ts';

export type Row = Readonly<Record<string, Value>>;

/** A store that can be copied, and whose rows can be read and changed behind the program's back. */
export interface Copy {
  readonly address: string;
  /** With a copy of the blobs. */
  readonly dataDir: string;
  readonly tables: readonly Table[];
  rows(table: Table): Promise<{ readonly table: string; readonly row: Row }[]>;
  change(params: { table: string; key: Row; column: string; value: Value }): Promise<void>;
  drop(): Promise<void>;
}

export interface Template {
  readonly address: string;
  readonly dataDir: string;
  copy(number: number): Promise<Copy>;
  drop(): Promise<void>;
}

export function sqliteTemplate(folder: string): Template {
  const path = `${folder}/template.db`;
  return {
    address: `file:${path}`,
    dataDir: `${folder}/data`,
    copy: async (number) => {
      const copied = `${folder}/copy-${number}.db`;
      for (const suffix of ['', '-wal']) {
        if (existsSync(path + suffix)) copyFileSync(path + suffix, copied + suffix);
      }
      return sqliteCopy(copied, copyData(folder, number));
    },
    drop: async () => {},
  };
}

function copyData(folder: string, number: number): string {
  const copied = `${folder}/data-${number}`;
  cpSync(`${folder}/data`, copied, { recursive: true });
  return copied;
}

function sqliteCopy(path: string, dataDir: string): Copy {
  const within = async <T>(work: (db: DatabaseSync) => T): Promise<T> => {
    const db = new DatabaseSync(path);
    try {
      return work(db);
    } finally {
      db.close();
    }
  };
  return {
    address: `file:${path}`,
    dataDir,
    tables: SQLITE_TABLES,
    rows: ({ name }) =>
      within((db) => {
        const like = name.endsWith('_') ? `${name}%` : name;
        const named = db
          .prepare("select name from sqlite_master where type = 'table' and name like ? order by 1")
          .all(like) as { name: string }[];
        return named.flatMap((table) =>
          db
            .prepare(`select * from ${table.name} order by 1, 2`)
            .all()
            .map((row) => ({ table: table.name, row: row as Row })),
        );
      }),
    change: ({ table, key, column, value }) =>
      within((db) => {
        const names = Object.keys(key);
        const where = names.map((name) => `${name} = ?`).join(' and ');
        db.prepare(`update ${table} set ${column} = ? where ${where}`).run(
          ...([value, ...names.map((name) => key[name])] as (
            | string
            | number
            | Uint8Array
            | null
          )[]),
        );
      }),
    drop: async () => {
      for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** `adminUrl` names a database of the same server that is not the template. */
export async function postgresTemplate(adminUrl: string, folder: string): Promise<Template> {
  const template = await createDatabaseOn(adminUrl);
  const name = new URL(template.url).pathname.slice(1);
  return {
    address: template.url,
    dataDir: `${folder}/data`,
    copy: async (number) => {
      const copied = `${name}_${number}`;
      await execute(adminUrl, `create database ${copied} template ${name}`);
      const url = new URL(adminUrl);
      url.pathname = `/${copied}`;
      const dataDir = copyData(folder, number);
      return postgresCopy({ url: url.href, dataDir }, async () => {
        await execute(adminUrl, `drop database ${copied} with (force)`);
        rmSync(dataDir, { recursive: true, force: true });
      });
    },
    drop: () => template.drop(),
  };
}

function postgresCopy(
  { url, dataDir }: { readonly url: string; readonly dataDir: string },
  drop: () => Promise<void>,
): Copy {
  return {
    address: url,
    dataDir,
    tables: POSTGRES_TABLES,
    rows: async ({ name }) => {
      const { rows } = await execute(url, `select * from signalbox.${name} order by 1, 2`);
      return rows.map((row) => ({ table: `signalbox.${name}`, row: plain(row) }));
    },
    change: async ({ table, key, column, value }) => {
      const names = Object.keys(key);
      const where = names.map((name, i) => `${name} = $${i + 2}`).join(' and ');
      const bound = value instanceof Uint8Array ? Buffer.from(value) : value;
      await execute(url, `update ${table} set ${column} = $1 where ${where}`, [
        bound,
        ...names.map((name) => key[name]),
      ]);
    },
    drop,
  };
}

/** Numbers that the driver returns as text, because they could be too large, are not. */
function plain(row: Record<string, unknown>): Row {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => {
      if (value instanceof Buffer) return [name, new Uint8Array(value)];
      if (typeof value === 'string' && BIG.has(name)) return [name, Number(value)];
      return [name, value as Value];
    }),
  );
}

const BIG = new Set(['seq', 'epoch', 'at_ms', 'ended_at_ms', 'checksum', 'sort']);

async function execute(url: string, text: string, values: unknown[] = []) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await client.query<Record<string, unknown>>(text, values);
  } finally {
    await client.end();
  }
}
