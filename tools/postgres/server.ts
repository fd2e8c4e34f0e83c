import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { PostgresBinaries, SystemUser } from './binaries.ts';
import type { ServerFolder } from './folder.ts';
import type { KeeperParams } from './keeper.ts';

export interface ServerParams {
  readonly binaries: PostgresBinaries;
  readonly folder: ServerFolder;
  readonly user: SystemUser | undefined;
  readonly settings: Readonly<Record<string, string>>;
  readonly url: string;
}

interface RunningServer {
  stop(): Promise<void>;
}

const startTimeoutMs = 30_000;
const pollMs = 25;
const printedLengthMax = 4_000;

/** Starts the server through its keeper and returns when it takes connections. */
export async function startServer(params: ServerParams): Promise<RunningServer> {
  const keeper = spawnKeeper(params);
  let printed = '';
  // Read for as long as the server lives, so that it never blocks on a full pipe.
  keeper.stderr.on('data', (text) => {
    printed = `${printed}${text}`.slice(-printedLengthMax);
  });
  const hasEnded = (): boolean => keeper.exitCode !== null || keeper.signalCode !== null;

  const stop = async (): Promise<void> => {
    if (hasEnded()) return;
    keeper.ref();
    const ended = new Promise((resolve) => keeper.once('exit', resolve));
    keeper.stdin.end();
    await ended;
  };

  const deadline = performance.now() + startTimeoutMs;
  while (!(await answers(params.url))) {
    if (hasEnded()) throw new Error(`PostgreSQL ended before it was ready: ${printed}`);
    if (performance.now() > deadline) {
      await stop();
      throw new Error(`PostgreSQL was not ready after ${startTimeoutMs} ms: ${printed}`);
    }
    await delay(pollMs);
  }
  // A script that forgets to stop the server still ends, and the keeper ends the server then.
  keeper.unref();
  for (const stream of [keeper.stdin, keeper.stderr]) {
    if ('unref' in stream && typeof stream.unref === 'function') stream.unref();
  }
  return { stop };
}

function spawnKeeper({ binaries, folder, user, settings }: ServerParams) {
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const server = [binaries.postgres, '-D', folder.dataDir, ...options] as const;
  const { initArgs } = folder;
  const params: KeeperParams = {
    commands: initArgs === undefined ? [server] : [[binaries.initdb, ...initArgs], server],
    workDir: folder.dir,
    removesWorkDir: folder.isTemporary,
    ...user,
  };
  const keeper = join(import.meta.dirname, 'keeper.ts');
  // Detached, so that an interrupt at the terminal does not stop it under tests that still run.
  return spawn(process.execPath, [keeper, JSON.stringify(params)], {
    detached: true,
    stdio: ['pipe', 'ignore', 'pipe'],
  });
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  try {
    await client.connect();
    await client.end();
    return true;
  } catch {
    return false;
  }
}
