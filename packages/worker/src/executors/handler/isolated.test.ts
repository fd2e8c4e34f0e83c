import { hash } from 'node:crypto';
import { decodeBlobRef } from '@signalbox/protocol/link';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { buildAssign, buildRef, type FakeNode, textOf } from '../../testing/fake-node.ts';
import { startWorker, stopWorkers } from '../../testing/start-worker.ts';

afterEach(stopWorkers);

const module = new URL('../../testing/isolated-handlers.ts', import.meta.url);
const NAMES = [
  'echo',
  'talk',
  'exit',
  'crash',
  'loop',
  'fail',
  'leave',
  'obey',
  'fill',
  'lastWords',
  'absent',
];

async function startIsolated(isolation: 'thread' | 'process'): Promise<FakeNode> {
  const rows = NAMES.map((name) => [name, { module, export: name, isolation }] as const);
  const broken = { module: '/no/such/module.ts', isolation };
  const { node } = await startWorker(() => 1, {
    handlers: { ...Object.fromEntries(rows), broken, plain: () => 'still here' },
  });
  return node;
}

async function run(node: FakeNode, handler: string, more = {}) {
  const count = node.all('finish').length;
  node.send(buildAssign(count, { executor: `handler:${handler}`, ...more }));
  return node.next('finish', count + 1);
}

describe.each(['thread', 'process'] as const)('a handler in a %s of its own', (isolation) => {
  it('gets its input and context, and not the key of the worker', async () => {
    process.env['SIGNALBOX_KEY'] = 'sbx_secret';
    const node = await startIsolated(isolation);
    const window = { schedule: 'nightly', at: 1_000, kind: 'catchUp' } as const;
    const finish = await run(node, 'echo', { value: [1, 2], window });
    delete process.env['SIGNALBOX_KEY'];
    expect(JSON.parse(textOf(finish.output))).toEqual({
      input: [1, 2],
      attemptId: 'run-0:main:1',
      inputHash: hash('sha256', '[1,2]', 'hex'),
      window: { ...window, at: '1970-01-01T00:00:01.000Z' },
      key: 'no key',
    });
  });

  it('logs, tells progress, saves, and asks for time', async () => {
    const node = await startIsolated(isolation);
    void node.next('extend').then(({ ref }) => {
      node.send({ kind: 'extended', ref, granted: true, timeoutMs: 9_000 });
    });
    const checkpoint = new TextEncoder().encode('"old"');
    const finish = await run(node, 'talk', { checkpoint });
    expect(JSON.parse(textOf(finish.output))).toEqual({ extended: true, late: true });
    expect(textOf(node.all('checkpoint')[0]?.state)).toBe('{"before":"old"}');
    const logs = node.all('log').map((log) => `${log.stream} ${textOf(log.text).trim()}`);
    expect(logs).toContain('stdout to stdout');
    expect(logs).toContain('stderr to stderr');
    expect(logs.some((line) => line.startsWith('log ') && line.includes('to the log'))).toBe(true);
  });

  it('WRK-08 its exit, its crash and its wrong module are failures of the attempt only', async () => {
    const node = await startIsolated(isolation);
    expect((await run(node, 'exit')).result).toMatchObject({ kind: 'failed', exitCode: 7 });
    expect((await run(node, 'crash')).result).toMatchObject({ kind: 'failed', exitCode: 1 });
    expect((await run(node, 'broken')).result).toMatchObject({ kind: 'failed' });
    expect((await run(node, 'absent')).result).toMatchObject({ class: 'permanent' });
    expect((await run(node, 'fail')).result).toMatchObject({
      class: 'permanent',
      error: 'PermanentError: not with this input',
    });
    expect(textOf((await run(node, 'plain')).output)).toBe('"still here"');
  });

  it('WRK-08 an endless loop is killed for real when the grace is over', async () => {
    const node = await startIsolated(isolation);
    const finish = run(node, 'loop', { graceMs: 100 });
    await node.next('log');
    node.send({ kind: 'abort', ref: buildRef(0), graceMs: 100, why: 'timeout' });
    expect((await finish).result).toEqual({ kind: 'stopped' });
    expect(textOf((await run(node, 'plain')).output)).toBe('"still here"');
  });

  it('hears its signal, and its offered state is saved', async () => {
    const node = await startIsolated(isolation);
    const finish = run(node, 'obey');
    await node.next('log');
    node.send({ kind: 'abort', ref: buildRef(0), graceMs: 5_000, why: 'evicted' });
    expect((await finish).result).toEqual({ kind: 'stopped' });
    expect(textOf(node.all('checkpoint')[0]?.state)).toBe('{"reason":"evicted"}');
  });

  it('its offered state is saved before its end is told, also where it is large', async () => {
    const put = async (_tenant: string, bytes: Uint8Array) => {
      await new Promise((resolve) => setTimeout(resolve, 50));
      return { name: 'state', bytes: bytes.length, sha256: '' };
    };
    const { node } = await startWorker(() => 1, {
      handlers: { obey: { module, export: 'obeyWithMuch', isolation } },
      blobs: { get: async () => null, put },
    });
    const finish = run(node, 'obey');
    await node.next('log');
    node.send({ kind: 'abort', ref: buildRef(0), graceMs: 20_000, why: 'evicted' });
    expect((await finish).result).toEqual({ kind: 'stopped' });
    expect(decodeBlobRef(node.all('checkpoint')[0]?.state as Uint8Array)?.name).toBe('state');
  });

  it('what it prints last is not lost', async () => {
    const node = await startIsolated(isolation);
    for (let i = 1; i <= 5; i += 1) {
      await run(node, 'lastWords');
      expect(node.all('log')).toHaveLength(i);
    }
  });

  it('timers that it leaves behind do not keep it', async () => {
    const node = await startIsolated(isolation);
    expect(textOf((await run(node, 'leave')).output)).toBe('"done"');
  });

  it('WRK-08 more memory than it asked for is a failure for want of resources', async () => {
    const node = await startIsolated(isolation);
    const request = { cpuMilli: 0, memoryMb: 48, gpu: 0, diskMb: 0, slots: 1 };
    expect((await run(node, 'fill', { request })).result).toMatchObject({ class: 'resource' });
    expect(textOf((await run(node, 'plain')).output)).toBe('"still here"');
  });
});

describe('what a handler in a process leaves behind', () => {
  it('WRK-08 a process that it started and that holds its pipes ends with it', async () => {
    const handler = { module, export: 'spawnAndLeave', isolation: 'process' } as const;
    const { node } = await startWorker(() => 1, { handlers: { left: handler } });
    const pid = Number(textOf((await run(node, 'left')).output));
    expect(pid).toBeGreaterThan(0);
    await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow('ESRCH'), 5_000);
  });

  it('does not wait for a daemon, and takes what was printed before', async () => {
    const handler = { module, export: 'leaveDaemon', isolation: 'process' } as const;
    const { node, worker } = await startWorker(() => 1, { handlers: { left: handler } });
    const finish = await run(node, 'left');
    const pid = Number(textOf(finish.output));
    onTestFinished(() => void process.kill(pid, 'SIGKILL'));
    expect(finish.result.kind).toBe('succeeded');
    expect(worker.tracking.occupying).toBe(0);
    expect(node.all('log').map(({ text }) => textOf(text))).toContain('last words\n');
    // It has left the group of the handler on purpose, and goes on.
    expect(process.kill(pid, 0)).toBe(true);
  });

  it('WRK-08 an exit that never ends is not waited for', async () => {
    const handler = { module, export: 'neverExit', isolation: 'process' } as const;
    const { node } = await startWorker(() => 1, { handlers: { left: handler } });
    expect(textOf((await run(node, 'left')).output)).toBe('"done"');
  });
});

it('is killed where it was told to stop before it began', async () => {
  const handler = { module, export: 'loop', isolation: 'process' } as const;
  const { node } = await startWorker(() => 1, { handlers: { loop: handler } });
  node.send(buildAssign(0, { executor: 'handler:loop' }), {
    kind: 'abort',
    ref: buildRef(0),
    graceMs: 60_000,
    why: 'cancelled',
  });
  expect((await node.next('finish')).result).toEqual({ kind: 'stopped' });
});
