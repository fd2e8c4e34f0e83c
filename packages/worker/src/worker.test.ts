import { hash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { PermanentError, TransientError } from './errors.ts';
import type { HandlerContext } from './executors/handler/handler.ts';
import { buildAssign, buildRef, FakeNode, textOf } from './testing/fake-node.ts';
import { gate, startWorker, stopWorkers, track } from './testing/start-worker.ts';
import { Worker } from './worker.ts';

afterEach(stopWorkers);

describe('attaching', () => {
  it('WRK-02 says who it is and what it has, and leaves with bye', async () => {
    const { node, worker } = await startWorker(() => 1, { zone: 'z1', labels: { gpu: 'none' } });
    const hello = node.all('hello')[0];
    expect(hello).toMatchObject({
      protocol: 1,
      worker: 'w1',
      zone: 'z1',
      labels: { gpu: 'none' },
      executors: ['handler:invoice'],
      holds: [],
    });
    await worker.stop();
    expect(node.heard.at(-1)?.kind).toBe('bye');
    expect(node.isConnected).toBe(false);
  });

  it('beats where the transport does not, and answers a probe at once', async () => {
    const node = new FakeNode();
    node.heartbeatMs = 20;
    const worker = new Worker({ transport: node.transport, name: 'w1' });
    await track(worker).start();
    await node.next('beat', 3);
    const before = node.all('beat').length;
    node.send({ kind: 'probe' });
    await node.next('beat', before + 1);
  });

  it('tries for ever to reach a node that is away', async () => {
    const node = new FakeNode();
    node.isUp = false;
    const tries: string[] = [];
    const worker = new Worker({
      transport: node.transport,
      name: 'w1',
      onEvent: (event) => {
        if (event.kind !== 'link') return;
        tries.push(event.event.kind);
        if (tries.length === 3) node.isUp = true;
      },
    });
    await track(worker).start();
    expect(tries).toEqual([
      'disconnected',
      'disconnected',
      'disconnected',
      'connected',
      'welcomed',
    ]);
  });
});

describe('running', () => {
  it('API-17 gives the handler its attempt id, input hash and input', async () => {
    const seen: { input: unknown; context: HandlerContext }[] = [];
    const { node } = await startWorker((input, context) => {
      seen.push({ input, context });
      return { ok: true };
    });
    node.send(buildAssign(7, { value: { a: 1 }, timeoutMs: 60_000 }));
    const finish = await node.next('finish');
    expect(finish.ref).toEqual(buildRef(7));
    expect(JSON.parse(textOf(finish.output))).toEqual({ ok: true });
    expect(seen[0]?.input).toEqual({ a: 1 });
    expect(seen[0]?.context).toMatchObject({
      attemptId: 'run-7:main:1',
      inputHash: hash('sha256', '{"a":1}', 'hex'),
      idempotencyKey: 'run-7:main',
      runId: 'run-7',
      tenant: 'acme',
      attempt: 1,
    });
    expect(seen[0]?.context.deadline?.getTime()).toBeGreaterThan(Date.now());
  });

  it('accepts before it runs, so that a handler that blocks does not delay it', async () => {
    const order: string[] = [];
    const { node } = await startWorker(() => void order.push('handler'));
    void node.next('accept').then(() => order.push('accept'));
    node.send(buildAssign(1));
    await node.next('finish');
    expect(node.heard.map((frame) => frame.kind)).toEqual(['hello', 'accept', 'finish']);
  });

  it('of a handler that is known to be brisk, what has ended at once is not accepted apart', async () => {
    const { handler, open } = gate();
    const { node } = await startWorker((input: string, context) =>
      input === 'long' ? handler(input as never, context) : 1,
    );
    node.send(buildAssign(1, { value: 'short' }));
    await node.next('finish');
    node.send(buildAssign(2, { value: 'short' }), buildAssign(3, { value: 'long' }));
    await node.next('accept', 2);
    expect(node.accepted).toEqual([buildRef(1), buildRef(3)]);
    expect(node.all('finish').map(({ ref }) => ref)).toEqual([buildRef(1), buildRef(2)]);
    open();
    await node.next('finish', 3);
  });

  it('a handler that blocks the event loop behind its first wait is not taken for brisk for long', async () => {
    const { node } = await startWorker(async () => {
      await null;
      for (const until = performance.now() + 300; performance.now() < until; );
    });
    for (let seq = 0; seq < 4; seq += 1) {
      node.send(buildAssign(seq));
      await node.next('finish', seq + 1);
    }
    expect(node.accepted).toEqual([buildRef(0), buildRef(2), buildRef(3)]);
  });

  it('a handler that blocks now and then in its start is accepted before it runs', async () => {
    const { node } = await startWorker((input: string) => {
      for (const until = performance.now() + 20; input === 'slow' && performance.now() < until; );
    });
    node.send(buildAssign(0, { value: 'quick' }));
    await node.next('finish', 1);
    for (const first of [1, 4, 7]) {
      const values = ['quick', 'slow', 'quick'];
      node.send(...values.map((value, i) => buildAssign(first + i, { value })));
      await node.next('finish', first + 3);
    }
    expect(node.accepted).toEqual([0, 4, 5, 6, 7, 8, 9].map((seq) => buildRef(seq)));
  });

  it('a handler that has blocked the event loop is accepted before it runs the next time', async () => {
    const { node } = await startWorker((input: string) => {
      for (const until = performance.now() + 20; input === 'slow' && performance.now() < until; );
    });
    for (const [seq, value] of ['quick', 'slow', 'quick'].entries()) {
      node.send(buildAssign(seq, { value }));
      await node.next('finish', seq + 1);
    }
    expect(node.heard.map(({ kind }) => kind)).toEqual([
      'hello',
      ...['accept', 'finish'],
      'finish',
      ...['accept', 'finish'],
    ]);
  });

  it('WRK-14 reports status, duration, logs and progress', async () => {
    const { node } = await startWorker(async (_input, context) => {
      context.log.info('half way', { rows: 5 });
      context.log.warn('odd', { cycle: 1n });
      context.progress(0.5);
      await delay(300);
      return new Uint8Array([1, 2, 3]);
    });
    node.send(buildAssign(1, { input: new Uint8Array([255, 254]) }));
    const finish = await node.next('finish');
    expect(finish.result.kind).toBe('succeeded');
    expect((finish.result as { durationMs: number }).durationMs).toBeGreaterThanOrEqual(290);
    expect(finish.output).toEqual(new Uint8Array([1, 2, 3]));
    const logs = node.all('log');
    expect(logs.map((log) => log.number)).toEqual([0, 1]);
    expect(JSON.parse(textOf(logs[0]?.text))).toMatchObject({ level: 'info', rows: 5 });
    expect(node.all('beat').flatMap((beat) => beat.progress)).toEqual([
      { ref: buildRef(1), value: 0.5 },
    ]);
  });

  it('carries the class of an error, and survives errors that are none', async () => {
    const thrown: unknown[] = [
      new PermanentError('bad input'),
      new TransientError('later', { retryAfter: 700 }),
      Object.assign(new Error('too big'), { errorClass: 'resource' }),
      new TypeError('x is not a function'),
      'just text \u0000\ud800',
      undefined,
      { errorClass: 'nonsense' },
    ];
    const { node } = await startWorker((input: number) => {
      throw thrown[input];
    });
    node.send(...thrown.map((_, i) => buildAssign(i, { value: i })));
    await node.next('finish', thrown.length);
    const results = node.all('finish').map(({ result }) => result);
    expect(results).toMatchObject([
      { kind: 'failed', class: 'permanent', error: 'PermanentError: bad input' },
      { kind: 'failed', class: 'transient', retryAfterMs: 700 },
      { kind: 'failed', class: 'resource' },
      { kind: 'failed', error: 'TypeError: x is not a function' },
      { kind: 'failed', error: 'just text \ufffd' },
      { kind: 'failed', error: 'undefined' },
      { kind: 'failed' },
    ]);
    expect(results[3]).not.toHaveProperty('class');
    expect(results[6]).not.toHaveProperty('class');
  });

  it('a handler that writes into its input or its output changes neither the node nor the result', async () => {
    const buffer = new Uint8Array([1, 2, 3]);
    const input = new Uint8Array([9, 9]);
    const { node } = await startWorker((_input, context) => {
      context.inputBytes?.fill(0);
      queueMicrotask(() => setImmediate(() => buffer.fill(0)));
      return buffer;
    });
    node.send(buildAssign(1, { input }));
    expect((await node.next('finish')).output).toEqual(new Uint8Array([1, 2, 3]));
    expect(input).toEqual(new Uint8Array([9, 9]));
  });

  it('fails an output that is not JSON for good', async () => {
    const { node } = await startWorker(() => 1n);
    node.send(buildAssign(1));
    expect((await node.next('finish')).result).toMatchObject({ class: 'permanent' });
  });

  it('WRK-03 runs ten at once and refuses the eleventh', async () => {
    const { handler, open } = gate();
    const { node } = await startWorker(handler);
    for (let i = 0; i < 11; i += 1) node.send(buildAssign(i));
    await node.next('refuse');
    expect(node.accepted).toHaveLength(10);
    expect(node.all('refuse')[0]).toMatchObject({ ref: buildRef(10), foreignUse: { slots: 0 } });
    open();
    await node.next('finish', 10);
    node.send(buildAssign(11));
    await node.next('finish', 11);
  });

  it('refuses what it has no executor for, and what does not fit', async () => {
    const { node } = await startWorker(() => 1, { total: { memoryMb: 100 } });
    const request = { cpuMilli: 0, memoryMb: 101, gpu: 0, diskMb: 0, slots: 1 };
    node.send(buildAssign(1, { executor: 'command' }), buildAssign(2, { request }));
    await node.next('refuse', 2);
    expect(node.all('accept')).toEqual([]);
  });

  it('WRK-15 a long task does not hold up short ones', async () => {
    const long = gate();
    const { node } = await startWorker((input: string, context) =>
      input === 'long' ? long.handler(input as never, context) : input,
    );
    node.send(buildAssign(0, { value: 'long' }));
    await long.begun;
    for (let i = 1; i <= 50; i += 1) {
      node.send(buildAssign(i, { value: 'short' }));
      await node.next('finish', i);
    }
    long.open('long done');
    const last = await node.next('finish', 51);
    expect(JSON.parse(textOf(last.output))).toBe('long done');
  });
});
