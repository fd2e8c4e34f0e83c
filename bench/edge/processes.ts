import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from './client.ts';

const CLI = fileURLToPath(new URL('../../packages/cli/src/main.mjs', import.meta.url));
const JOBS = fileURLToPath(new URL('./jobs.ts', import.meta.url));
const TICKS_PER_SECOND = 100;

/** Processes of the command as a user starts them, on loopback, gone at the end. */
export class Processes {
  readonly key = `sbx-bench-${randomBytes(24).toString('base64url')}`;
  readonly folder = mkdtempSync(join(tmpdir(), 'signalbox-edge-'));
  readonly #children: ChildProcess[] = [];

  start(args: readonly string[]): ChildProcess {
    const flags = ['--disable-warning=ExperimentalWarning', CLI, ...args];
    const env = { ...process.env, SIGNALBOX_KEY: this.key, SIGNALBOX_LOG_LEVEL: 'error' };
    const stdio = ['ignore', 'ignore', 'ignore'] as const;
    const child = spawn(process.execPath, flags, { env, stdio: [...stdio], cwd: this.folder });
    this.#children.push(child);
    return child;
  }

  async startNode(store: string): Promise<{ url: string; child: ChildProcess }> {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const child = this.start(['node', '--store', store, '--port', `${port}`]);
    await until(() => isUp(`${url}/api/v1/ready`));
    return { url, child };
  }

  /** A node, a job and a worker that is attached: what every measurement needs. */
  async startFleet(store: string, job: string): Promise<{ url: string; client: Client }> {
    const { url } = await this.startNode(store);
    const client = new Client(url, this.key);
    await client.call('PUT', `/jobs/${job}`, {});
    this.startWorker(url);
    await until(async () => {
      const { items } = await client.call<{ items: unknown[] }>('GET', '/workers');
      return items.length > 0;
    });
    return { url, client };
  }

  startWorker(url: string): ChildProcess {
    return this.start(['worker', '--url', url, '--jobs', JOBS]);
  }

  async stop(): Promise<void> {
    for (const child of this.#children.reverse()) {
      if (child.exitCode !== null) continue;
      const exited = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await exited;
    }
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export async function isUp(url: string): Promise<boolean> {
  return fetch(url).then(
    (answer) => answer.ok,
    () => false,
  );
}

export async function until(condition: () => Promise<boolean>, ms = 30_000): Promise<void> {
  const end = performance.now() + ms;
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`not within ${ms} ms`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

export function rssMbOf(pid: number): number {
  const line = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Math.round(Number(line?.[1] ?? 0) / 1_024);
}

/** Seconds of CPU that the process has used, all threads. */
export function cpuSecondsOf(pid: number): number {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
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
