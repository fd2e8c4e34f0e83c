import { afterEach, describe, expect, it, vi } from 'vitest';
import type { HandlerContext } from './executors/handler/handler.ts';
import { buildAssign, buildRef, FakeNode, textOf } from './testing/fake-node.ts';
import { gate, startWorker, stopWorkers, track } from './testing/start-worker.ts';
import { Worker } from './worker.ts';

afterEach(stopWorkers);

const slotsTold = (node: FakeNode) => node.all('beat').at(-1)?.foreignUse.slots;

describe('use of the worker that a node does not count itself', () => {
  async function startWithTwo() {
    const { handler, begun, open } = gate();
    const [a, b] = [new FakeNode(), new FakeNode()];
    // Only what the worker sends for a reason: a regular beat would repair what it has left out.
    b.heartbeatMs = 600_000;
    const worker = new Worker({
      transports: [a.transport, b.transport],
      name: 'w1',
      handlers: { invoice: handler },
      total: { slots: 1 },
    });
    await track(worker).start();
    await Promise.all([a, b].map((node) => node.next('hello')));
    return { a, b, worker, begun, open };
  }

  /** Node A goes away; node B takes over and reads what the worker holds. */
  async function takenOver() {
    const world = await startWithTwo();
    const { a, b, begun } = world;
    a.send(buildAssign(1));
    await begun;
    await b.until(() => slotsTold(b) === 1);
    a.isUp = false;
    a.cut();
    await vi.waitFor(() => expect(a.isConnected).toBe(false), 20_000);
    b.send({ kind: 'restate' });
    expect((await b.next('hello', 2)).foreignUse.slots).toBe(1);
    return world;
  }

  it('is free again once a node has aborted an attempt that another node gave', async () => {
    const { b, begun, open } = await takenOver();
    const { signal } = await begun;
    b.send({ kind: 'abort', ref: buildRef(1), graceMs: 60_000, why: 'cancelled' });
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    open();
    await b.next('finish');
    await b.until(() => slotsTold(b) === 0);
  });

  it('leaves out an attempt from the moment that a node has adopted it', async () => {
    const { a, b, open } = await takenOver();
    b.send({ kind: 'probe', adopted: [buildRef(1), buildRef(9)] });
    await b.until(() => slotsTold(b) === 0);
    a.isUp = true;
    expect((await a.next('hello', 2)).foreignUse.slots).toBe(1);
    open();
    await b.next('finish');
    await a.until(() => slotsTold(a) === 0);
  });

  it('includes a handler that ignores its signal, also for the node that gave it', async () => {
    const { handler, begun, open } = gate();
    const { node, worker } = await startWorker(handler, { total: { slots: 1 } });
    node.send(buildAssign(1));
    await begun;
    node.send({ kind: 'abort', ref: buildRef(1), graceMs: 20, why: 'timeout' });
    await node.next('finish');
    await node.until(() => slotsTold(node) === 1);
    node.send(buildAssign(2));
    expect((await node.next('refuse')).foreignUse?.slots).toBe(1);
    node.send({ kind: 'restate' });
    expect((await node.next('hello', 2)).foreignUse.slots).toBe(1);
    open();
    await node.until(() => slotsTold(node) === 0);
    expect(worker.tracking).toMatchObject({ held: 0, occupying: 0 });
  });

  it('includes a superseded attempt until its handler has returned', async () => {
    const { handler, begun, open } = gate();
    const { node } = await startWorker(handler, { total: { slots: 1 } });
    node.send(buildAssign(1));
    await begun;
    node.send({ kind: 'stale', ref: buildRef(1) });
    await node.until(() => slotsTold(node) === 1);
    open();
    await node.until(() => slotsTold(node) === 0);
  });

  it('moves with the attempt, and so does what it has asked for', async () => {
    const [a, b] = [new FakeNode(), new FakeNode()];
    const worker = new Worker({
      transports: [a.transport, b.transport],
      name: 'w1',
      handlers: { invoice: (_input: never, { extend }: HandlerContext) => extend(1_000) },
    });
    await track(worker).start();
    await Promise.all([a, b].map((node) => node.next('hello')));
    a.send(buildAssign(1));
    await a.next('extend');
    // Node A has lost the partition and answers nothing about it any more.
    b.send({ kind: 'probe', adopted: [buildRef(1)] });
    expect(textOf((await b.next('finish')).output)).toBe('false');
    expect(a.all('finish')).toEqual([]);
  });
});
