import { type ChildProcess, spawn } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type PostgresServer, startPostgres } from '../../tools/postgres.ts';

const MAIN = fileURLToPath(new URL('../../packages/cli/src/main.mjs', import.meta.url));
/** A response that the API document does not declare ends the process. */
const CONTRACT = new URL(
  '../../packages/node/src/api/testing/exit-on-violation.ts',
  import.meta.url,
).href;

const RESTART_MS = 500;

/** A command that is started, killed, stopped and started again under the same name. */
export class Process {
  readonly name: string;
  readonly #args: readonly string[];
  readonly #environment: Record<string, string>;
  readonly #log: string;
  /** When it ended by itself; it is started again, as a supervisor would do. */
  readonly exits: number[] = [];
  #child: ChildProcess | null = null;
  #isEnding = false;

  constructor(params: {
    name: string;
    args: readonly string[];
    environment: Record<string, string>;
    folder: string;
  }) {
    this.name = params.name;
    this.#args = params.args;
    this.#environment = params.environment;
    this.#log = join(params.folder, `${params.name}.log`);
  }

  start(): void {
    const log = openSync(this.#log, 'a');
    this.#child = spawn(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', '--import', CONTRACT, MAIN, ...this.#args],
      { env: { ...process.env, TZ: 'UTC', ...this.#environment }, stdio: ['ignore', log, log] },
    );
    closeSync(log);
    this.#isEnding = false;
    this.#child.once('exit', () => {
      if (this.#isEnding) return;
      this.exits.push(Date.now());
      setTimeout(() => this.#isEnding || this.start(), RESTART_MS);
    });
  }

  signal(signal: NodeJS.Signals): void {
    this.#child?.kill(signal);
  }

  /** Resolves when it has ended, whatever it was doing. */
  async end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    this.#isEnding = true;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGCONT');
    child.kill(signal);
    await ended;
  }

  get log(): string {
    return readFileSync(this.#log, 'utf8');
  }
}

/** A PostgreSQL server that may go away and come back with its data. */
export class Database {
  readonly #folder: string;
  #server: PostgresServer | null = null;
  #port = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async start(): Promise<string> {
    if (this.#port === 0) this.#port = await freePort();
    const settings = { shared_buffers: '64MB' };
    this.#server = await startPostgres({ dataDir: this.#folder, port: this.#port, settings });
    return this.#server.url;
  }

  async stop(): Promise<void> {
    await this.#server?.stop();
    this.#server = null;
  }

  /** Backends stand still, connections stay open: commits hang. */
  signalBackends(signal: 'SIGSTOP' | 'SIGCONT'): void {
    if (this.#server === null) return;
    for (const pid of this.#backends()) {
      try {
        process.kill(pid, signal);
      } catch {
        // It has ended meanwhile.
      }
    }
  }

  #backends(): number[] {
    const file = join(this.#folder, 'data', 'postmaster.pid');
    const parent = Number(readFileSync(file, 'utf8').split('\n')[0]);
    const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
    return pids.map(Number).filter((pid) => parentOf(pid) === parent);
  }
}

function parentOf(pid: number): number {
  try {
    return Number(/^\d+ \(.*\) \S (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1]);
  } catch {
    return 0;
  }
}

export function freePort(): Promise<number> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}

/** A folder of the run's own; everything that it started ends with it. */
export function temporaryFolder(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'signalbox-model-'));
  // The database server runs as a user of its own, and has to reach its folder in here.
  chmodSync(path, 0o755);
  return { path, remove: () => rmSync(path, { recursive: true, force: true, maxRetries: 5 }) };
}
