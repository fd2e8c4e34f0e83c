// A real PostgreSQL server for tests and benches, from programs in the registry.
import { createServer } from 'node:net';
import type { PostgresBinaries } from './postgres/binaries.ts';
import { findBinaries, reachableBinaries, unprivilegedUser } from './postgres/binaries.ts';
import { openFolder } from './postgres/folder.ts';
import { startServer } from './postgres/server.ts';

export interface PostgresOptions {
  /** A free port if left out. */
  readonly port?: number;
  /**
   * A folder of the caller's for the server's files: made if absent, kept at the end, and used
   * again with all its data if a server was started on it before. Left out, the server gets a
   * temporary folder that is removed with it.
   */
  readonly dataDir?: string;
  /** Further settings, e.g. `{ synchronous_commit: 'off' }`; they override the defaults. */
  readonly settings?: Readonly<Record<string, string>>;
}

export interface PostgresServer {
  /** The administrator's url, database `postgres`. */
  readonly url: string;
  /** Stops the server; safe to call again. */
  stop(): Promise<void>;
}

/** Durable as in production, so that what a test calls committed is committed. */
const defaults: Readonly<Record<string, string>> = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  max_connections: '200',
  shared_buffers: '256MB',
  timezone: 'UTC',
  log_min_messages: 'fatal',
};

/**
 * Starts a server on loopback and waits until it answers. It ends with this process at the latest,
 * however that ends. Rejects with the reason where PostgreSQL cannot run.
 */
export async function startPostgres(options: PostgresOptions = {}): Promise<PostgresServer> {
  const found: PostgresBinaries = await findBinaries();
  const user = unprivilegedUser();
  const folder = openFolder({ dataDir: options.dataDir, user });
  try {
    const binaries = user === undefined ? found : reachableBinaries(found, folder.nativeDir);
    const port = options.port ?? (await freePort());
    const url = `postgres://postgres:${folder.password}@127.0.0.1:${port}/postgres`;
    const settings = { ...defaults, ...options.settings, port: `${port}` };
    const server = await startServer({ binaries, folder, user, settings, url });
    return { url, stop: server.stop };
  } catch (error) {
    folder.removeIfTemporary();
    throw error;
  }
}

function freePort(): Promise<number> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}
