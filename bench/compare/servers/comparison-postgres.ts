import { randomBytes } from 'node:crypto';
import pg from 'pg';
import type { Database } from '../../../tools/postgres/database.ts';
import { startPostgres } from '../../../tools/postgres.ts';

/** The same for every system, beside fsync and synchronous_commit, which are on. */
export const POSTGRES_SETTINGS = {
  shared_buffers: '2GB',
  effective_cache_size: '8GB',
  wal_buffers: '64MB',
  max_wal_size: '16GB',
  checkpoint_timeout: '15min',
  random_page_cost: '1.1',
  max_connections: '300',
} as const;

/** The one server that all systems on PostgreSQL share. */
export class ComparisonPostgres {
  readonly #admin: pg.Pool;
  readonly #stop: () => Promise<void>;
  readonly #dropsDatabases: boolean;
  readonly #templates = new Map<string, Promise<string>>();
  readonly url: string;
  readonly pid: number;

  private constructor(params: {
    admin: pg.Pool;
    url: string;
    pid: number;
    stop: () => Promise<void>;
    dropsDatabases: boolean;
  }) {
    this.#admin = params.admin;
    this.#stop = params.stop;
    this.#dropsDatabases = params.dropsDatabases;
    this.url = params.url;
    this.pid = params.pid;
  }

  static async start(dropsDatabases: boolean): Promise<ComparisonPostgres> {
    const { url, stop } = await startPostgres({ settings: POSTGRES_SETTINGS });
    // One connection, and a queue before it: copies of a template are made one after the other.
    const admin = new pg.Pool({ connectionString: url, max: 1 });
    // When the server stops, it ends a connection that is just being closed.
    admin.on('error', () => {});
    const { rows } = await admin.query<{ text: string }>(
      `select pg_read_file('postmaster.pid') as text`,
    );
    const pid = Number.parseInt(rows[0]?.text ?? '', 10);
    return new ComparisonPostgres({ admin, url, pid, stop, dropsDatabases });
  }

  async version(): Promise<string> {
    const { rows } = await this.#admin.query<{ server_version: string }>('show server_version');
    return rows[0]?.server_version ?? 'unknown';
  }

  /**
   * A database in which a system has already been set up: `prepare` is called once, every further
   * one is a copy, so that no measurement sees the rows of another.
   */
  async database(system: string, prepare: (url: string) => Promise<void>): Promise<Database> {
    let template = this.#templates.get(system);
    if (template === undefined) {
      template = this.#create('template1').then(async (database) => {
        await prepare(database.url);
        return nameOf(database.url);
      });
      this.#templates.set(system, template);
    }
    return this.#create(await template);
  }

  async #create(template: string): Promise<Database> {
    const name = `bench_${randomBytes(8).toString('hex')}`;
    await this.#admin.query(`create database ${name} template ${template}`);
    const url = new URL(this.url);
    url.pathname = `/${name}`;
    const drop = async (): Promise<void> => {
      if (this.#dropsDatabases) await this.#admin.query(`drop database ${name} with (force)`);
    };
    return { url: url.href, drop };
  }

  /** Writes out what earlier measurements left dirty, so that no later one pays for it. */
  async checkpoint(): Promise<void> {
    await this.#admin.query('checkpoint');
  }

  async walBytes(): Promise<number> {
    const { rows } = await this.#admin.query<{ bytes: string }>(
      `select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') as bytes`,
    );
    return Number(rows[0]?.bytes);
  }

  /** Transactions of one database so far. Sessions tell their counts about once a second. */
  async transactions(databaseUrl: string): Promise<number> {
    const { rows } = await this.#admin.query<{ count: string }>(
      'select xact_commit + xact_rollback as count from pg_stat_database where datname = $1',
      [nameOf(databaseUrl)],
    );
    return Number(rows[0]?.count);
  }

  async stop(): Promise<void> {
    await this.#admin.end();
    await this.#stop();
  }
}

function nameOf(url: string): string {
  return new URL(url).pathname.slice(1);
}
