import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunId } from '@signalbox/engine';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { SocketWorld } from './testing/socket-world.ts';

const HOUR_MS = 3_600_000;
const WAIT_MS = 20_000;
let net: SocketWorld;
let folder: string;
const children: ChildProcess[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signalbox-workers-'));
  net = await SocketWorld.start();
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  expect(net.world.fatal).toEqual([]);
  await net.stop();
  await rm(folder, { recursive: true });
});

/** A worker in a process of its own, whose clock is off by so much. */
function startProcess(name: string, clockOffMs = 0): ChildProcess {
  const source = `
    const clock = Date.now;
    Date.now = () => clock() + ${clockOffMs};
    const { existsSync } = await import('node:fs');
    const { setTimeout: delay } = await import('node:timers/promises');
    const { Worker, webSocketTransport } = await import('@signalbox/worker');
    const transport = webSocketTransport({ url: 'http://127.0.0.1:${net.port}', key: 'good' });
    const isLetGo = async () => { while (!existsSync('${folder}/go')) await delay(5); };
    const handlers = {
      short: async (_input, { progress }) => { progress(0.5); await isLetGo(); return '${name}'; },
      long: async (_input, { checkpoint, signal }) => {
        const saved = checkpoint.load();
        if (saved !== null) return saved;
        checkpoint.offer(() => ({ savedBy: '${name}' }));
        await delay(600_000, undefined, { signal });
      },
    };
    const worker = new Worker({ name: '${name}', transport, total: { slots: 3 }, handlers });
    process.once('SIGTERM', () => worker.stop({ graceMs: 2_000 }));
    await worker.start();
  `;
  const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', source];
  const child = spawn(process.execPath, args, { cwd: import.meta.dirname, stdio: 'inherit' });
  children.push(child);
  return child;
}

const attached = (count: number) =>
  vi.waitFor(() => expect(net.world.gateway.workers()).toHaveLength(count), WAIT_MS);

/** The handler of each attempt runs. */
const started = (count: number) =>
  vi.waitFor(() => {
    const { workers } = net.world.loop.engine.core.workers;
    const attempts = [...workers.values()].flatMap((worker) => [...worker.attempts]);
    expect(attempts.filter(({ startedAt }) => startedAt !== null)).toHaveLength(count);
  }, WAIT_MS);

async function define(name: string, timeouts: object): Promise<void> {
  const retry = { attemptsMax: 1 };
  await net.world.define(name, { tasks: [{ executor: `handler:${name}`, retry, timeouts }] });
}

const outcomes = async (id: RunId) => {
  const { tasks } = await net.world.view(id);
  return tasks[0]?.attempts.map(({ worker, outcome }) => `${worker} ${outcome}`);
};

it('WRK-07 on SIGTERM with three running two finish, and another process goes on with the long one, uncharged', async () => {
  await define('short', {});
  await define('long', {});
  const first = startProcess('first');
  await attached(1);
  const short = [await net.world.submit('short'), await net.world.submit('short')];
  const long = await net.world.submit('long');
  await started(3);
  startProcess('second');
  await attached(2);
  const exit = once(first, 'exit');
  first.kill('SIGTERM');
  await vi.waitFor(() => {
    expect(net.world.gateway.worker('first')?.status).toBe('draining');
  }, WAIT_MS);
  await writeFile(join(folder, 'go'), '');
  for (const id of [...short, long]) await net.world.ended(id);
  expect(await exit).toEqual([0, null]);
  for (const id of short) expect(await outcomes(id)).toEqual(['first succeeded']);
  // The job allows one attempt: had the first been charged, there would be no second one.
  expect(await outcomes(long)).toEqual(['first drained', 'second succeeded']);
  const { output } = await net.world.view(long);
  expect(new TextDecoder().decode(output ?? undefined)).toBe('{"savedBy":"first"}');
}, 60_000);

it('LIV-05 the clocks of two workers are off by an hour, and no attempt times out', async () => {
  const timeouts = { hardMs: 120_000, progressMs: 120_000 };
  await define('short', timeouts);
  for (const [name, offMs] of [
    ['ahead', HOUR_MS],
    ['behind', -HOUR_MS],
  ] as const) {
    startProcess(name, offMs);
  }
  await attached(2);
  const ids: RunId[] = [];
  for (let i = 0; i < 6; i++) ids.push(await net.world.submit('short'));
  await started(6);
  // Every worker has beaten since, and nothing is suspect or stopped.
  const { core } = net.world.loop.engine;
  const seenAt = [...core.workers.workers.values()].map(({ lastSeenAt }) => lastSeenAt);
  await vi.waitFor(() => {
    const now = [...core.workers.workers.values()].map(({ lastSeenAt }) => lastSeenAt);
    expect(now.every((at, i) => at > (seenAt[i] ?? 0))).toBe(true);
  }, WAIT_MS);
  for (const { lastSeenAt, status } of core.workers.workers.values()) {
    expect(status).toBe('healthy');
    expect(Math.abs(lastSeenAt - core.now)).toBeLessThan(60_000);
  }
  await writeFile(join(folder, 'go'), '');
  for (const id of ids) await net.world.ended(id);
  const seen = (await Promise.all(ids.map(outcomes))).flat().sort();
  expect(seen).toEqual([...Array(3).fill('ahead succeeded'), ...Array(3).fill('behind succeeded')]);
}, 60_000);
