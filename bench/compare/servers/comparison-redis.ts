import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { requireDebian } from '../../../tools/testing/debian.ts';
import { freePort, until } from '../../edge/processes.ts';

/** Appends every write to a file and syncs it once a second: a crash may lose the last second. */
export const REDIS_SETTINGS = { save: '', appendonly: 'yes', appendfsync: 'everysec' } as const;

export interface ComparisonRedis {
  readonly port: number;
  readonly pid: number;
  stop(): Promise<void>;
}

export async function startRedis(): Promise<ComparisonRedis> {
  const problem = requireDebian('redis-server');
  if (problem !== null) throw new Error(problem);
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-redis-'));
  const port = await freePort();
  const settings = { ...REDIS_SETTINGS, port: `${port}`, bind: '127.0.0.1', dir: folder };
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
  const child = spawn('redis-server', args, { stdio: 'ignore' });
  const ended = new Promise((resolve) => child.once('close', resolve));
  await until(() => accepts(port));
  return {
    port,
    pid: child.pid as number,
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
