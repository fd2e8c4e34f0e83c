import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunId } from '@signalbox/engine';
import { commandExecutor, Worker, webSocketTransport } from '@signalbox/worker';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SocketWorld } from './testing/socket-world.ts';

const SECOND = 1_000;
let net: SocketWorld;
let folder: string;
const children: ChildProcess[] = [];
const workers: Worker[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signalbox-stops-'));
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await Promise.all(workers.splice(0).map((worker) => worker.stop({ graceMs: 0 })));
  await net.stop();
  await rm(folder, { recursive: true });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe('a cancelled run', () => {
  it(
    'U085 U086 U087 stops on whichever worker it runs, without a heartbeat, and for real',
    async () => {
      // Beats are minutes apart: what arrives within a second did not wait for one.
      const beats = { heartbeatMs: 300 * SECOND, silentMs: 900 * SECOND };
      net = await SocketWorld.start({ engine: beats, gateway: { heartbeatMs: beats.heartbeatMs } });
      for (const name of ['a', 'b', 'c']) {
        const transport = webSocketTransport({ url: `http://127.0.0.1:${net.port}`, key: 'good' });
        const executors = [commandExecutor({ allow: true, isolation: 'none' })];
        workers.push(new Worker({ name, transport, executors, total: { slots: 1 } }));
        await workers.at(-1)?.start();
      }
      const graceMs = 500;
      // It notes when it is asked to stop, does not obey, and keeps having effects.
      const stubborn = `trap 'date +%s%3N > "${folder}/$$.term"' TERM; while :; do echo x >> "${folder}/$$.effects"; sleep 0.02; done`;
      const command = (...argv: string[]) => ({ executor: 'command', command: { argv } });
      const task = { ...command('sh', '-c', stubborn), timeouts: { graceMs } };
      await net.world.define('stubborn', { tasks: [task] });
      const ids: RunId[] = [];
      for (let i = 0; i < 3; i++) ids.push(await net.world.submit('stubborn'));
      const { loop } = net.world;
      const running = () =>
        [...loop.engine.core.workers.workers.values()].filter(
          ({ attempts }) => attempts.length === 1,
        );
      await vi.waitFor(() => expect(running()).toHaveLength(3), 20 * SECOND);
      const pids = await vi.waitFor(async () => {
        const found = (await readdir(folder)).filter((name) => name.endsWith('.effects'));
        expect(found).toHaveLength(3);
        return found.map((name) => Number.parseInt(name, 10));
      }, 20 * SECOND);
      const cancelledAt = Date.now();
      for (const { partition, seq } of ids) {
        await loop.execute({ kind: 'cancel', partition, seq, by: 'ann', reason: '' });
      }
      await Promise.all(ids.map((id) => net.world.ended(id)));
      for (const pid of pids) {
        const askedAt = Number(await readFile(join(folder, `${pid}.term`), 'utf8'));
        expect(askedAt - cancelledAt).toBeLessThanOrEqual(SECOND);
        await vi.waitFor(() => expect(isAlive(pid)).toBe(false), graceMs + SECOND);
      }
      expect(Date.now() - cancelledAt).toBeLessThanOrEqual(graceMs + 2 * SECOND);
      const effects = () =>
        Promise.all(
          pids.map(async (pid) => (await readFile(join(folder, `${pid}.effects`))).length),
        );
      const before = await effects();
      for (const id of ids) expect((await net.world.view(id)).state).toBe('CANCELLED');
      // Another run on the same workers takes longer than several turns of the loop above.
      await net.world.define('after', { tasks: [command('sleep', '0.2')] });
      await net.world.ended(await net.world.submit('after'));
      expect(await effects()).toEqual(before);
      for (const id of ids) expect((await net.world.view(id)).state).toBe('CANCELLED');
    },
    60 * SECOND,
  );
});

describe('a handler that blocks its process', () => {
  const settings = { heartbeatMs: 100, silentMs: 2_000, probeSilentMs: 2_000 };

  function startProcess(name: string): ChildProcess {
    const source = `
      import { Worker, webSocketTransport } from '@signalbox/worker';
      const transport = webSocketTransport({ url: 'http://127.0.0.1:${net.port}', key: 'good' });
      const block = (ms) => {
        const end = performance.now() + ms;
        while (performance.now() < end);
        return '${name}';
      };
      await new Worker({ name: '${name}', transport, total: { slots: 1 }, handlers: { block } }).start();
    `;
    const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', source];
    const child = spawn(process.execPath, args, { cwd: import.meta.dirname, stdio: 'inherit' });
    children.push(child);
    return child;
  }

  const attached = (count: number) =>
    vi.waitFor(() => expect(net.world.gateway.workers()).toHaveLength(count), 20 * SECOND);
  const json = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));

  beforeEach(async () => {
    net = await SocketWorld.start({ engine: settings, gateway: { heartbeatMs: 100 } });
    await net.world.define('block', {
      tasks: [{ executor: 'handler:block', retry: { fixedDelayMs: 0 } }],
    });
  });

  it(
    'U021 F6 keeps its attempt: heartbeats come from a thread of their own',
    async () => {
      startProcess('a');
      await attached(1);
      const id = await net.world.submit('block', { input: json(3_000) });
      await net.world.ended(id);
      const { state, tasks } = await net.world.view(id);
      expect(state).toBe('SUCCEEDED');
      expect(tasks[0]?.attempts.map(({ outcome }) => outcome)).toEqual(['succeeded']);
    },
    60 * SECOND,
  );

  it(
    'U021 F6 is given up if the process stands still, and its late completion is not accepted',
    async () => {
      const first = startProcess('a');
      await attached(1);
      const id = await net.world.submit('block', { input: json(200) });
      const { workers: known } = net.world.loop.engine.core.workers;
      await vi.waitFor(() => expect(known.get('a')?.attempts[0]?.startedAt).toBeGreaterThan(0), {
        timeout: 20 * SECOND,
        interval: 1,
      });
      first.kill('SIGSTOP');
      startProcess('b');
      await net.world.ended(id);
      const before = await net.world.view(id);
      expect(before.state).toBe('SUCCEEDED');
      expect(before.tasks[0]?.attempts.map(({ worker, outcome }) => [worker, outcome])).toEqual([
        ['a', 'worker_lost'],
        ['b', 'succeeded'],
      ]);
      first.kill('SIGCONT');
      // It reports its result and is told that the attempt is not its own any more.
      await attached(2);
      const next = await net.world.submit('block', { input: json(1) });
      await net.world.ended(next);
      expect(await net.world.view(id)).toEqual(before);
      const exit = once(first, 'exit');
      first.kill('SIGKILL');
      await exit;
    },
    60 * SECOND,
  );
});
