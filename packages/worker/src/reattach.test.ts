import { afterEach, describe, expect, it, vi } from 'vitest';
import { buildAssign, buildRef, FakeNode, textOf } from './testing/fake-node.ts';
import { gate, startWorker, stopWorkers, track } from './testing/start-worker.ts';
import { Worker } from './worker.ts';
import type { WorkerEvent } from './worker-options.ts';

afterEach(stopWorkers);

describe('re-attaching', () => {
  it('WRK-09 F10 runs on without the node and delivers later', async () => {
    const { handler, begun, open } = gate();
    const gone = Promise.withResolvers<void>();
    const onEvent = (event: WorkerEvent) => {
      if (event.kind === 'link' && event.event.kind === 'disconnected') gone.resolve();
    };
    const { node, worker } = await startWorker(handler, { onEvent });
    node.send(buildAssign(1));
    const context = await begun;
    node.isUp = false;
    node.cut();
    await gone.promise;
    context.log.info('alone');
    await context.checkpoint.save({ page: 3 });
    open('done without you');
    await vi.waitFor(() => expect(worker.tracking).toMatchObject({ held: 1, running: 0 }), 20_000);
    expect(node.all('finish')).toEqual([]);
    node.isUp = true;
    const finish = await node.next('finish');
    expect(textOf(finish.output)).toBe('"done without you"');
    expect(node.all('hello')[1]?.holds).toEqual([buildRef(1)]);
    expect(node.all('hello')[1]?.instance).toBe(node.all('hello')[0]?.instance);
    expect(textOf(node.all('log')[0]?.text)).toContain('alone');
    await vi.waitFor(() => expect(worker.tracking.held).toBe(0), 20_000);
    expect(node.all('finish')).toHaveLength(1);
  });

  it('WRK-09 keeps a result over any number of connections until it is confirmed', async () => {
    const { node, worker } = await startWorker(() => 'result');
    node.confirms = false;
    node.send(buildAssign(1));
    await node.next('finish');
    for (let i = 2; i <= 4; i += 1) {
      node.cut();
      await node.next('finish', i);
      expect(node.all('hello')[i - 1]?.holds).toEqual([buildRef(1)]);
    }
    expect(worker.tracking.held).toBe(1);
    node.send({ kind: 'confirm', refs: [buildRef(1)] });
    await vi.waitFor(() => expect(worker.tracking.held).toBe(0), 20_000);
  });

  it('OBS-12 says again what a node may have forgotten before it took over', async () => {
    const { handler, begun, open } = gate();
    const { node } = await startWorker(handler);
    node.send(buildAssign(1));
    const context = await begun;
    context.log.info('before');
    await node.next('log');
    node.send({ kind: 'restate' });
    const again = await node.next('log', 2);
    expect(textOf(again.text)).toContain('before');
    expect(again.number).toBe(node.all('log')[0]?.number);
    open('done');
  });

  it('OBS-12 a thrown error leaves its stack in the log', async () => {
    const { node } = await startWorker(() => {
      throw new Error('kaboom');
    });
    node.send(buildAssign(1));
    expect((await node.next('finish')).result).toMatchObject({ error: 'kaboom' });
    const log = node.all('log')[0];
    expect(log?.stream).toBe('stderr');
    expect(textOf(log?.text)).toMatch(/Error: kaboom\n {4}at .*reattach\.test\.ts/);
  });

  it('goes on with what runs, and says the last checkpoint again', async () => {
    const { handler, begun, open } = gate();
    const { node } = await startWorker(handler);
    node.send(buildAssign(1));
    const context = await begun;
    await context.checkpoint.save({ page: 1 });
    await context.checkpoint.save({ page: 2 });
    await node.next('checkpoint', 2);
    node.cut();
    const again = await node.next('checkpoint', 3);
    expect(textOf(again.state)).toBe('{"page":2}');
    open();
    await node.next('finish');
    expect(node.all('accept')).toHaveLength(1);
  });

  it('says hello again on restate, with results behind it', async () => {
    const { node } = await startWorker(() => 1);
    node.confirms = false;
    node.send(buildAssign(1));
    await node.next('finish');
    node.send({ kind: 'restate' });
    await node.next('finish', 2);
    expect(node.heard.map((frame) => frame.kind)).toEqual([
      'hello',
      'accept',
      'finish',
      'hello',
      'finish',
    ]);
    expect(node.all('hello')[1]?.holds).toEqual([buildRef(1)]);
    node.send({ kind: 'confirm', refs: [buildRef(1)] });
  });

  it('a duplicated assign of a held attempt runs once', async () => {
    let runs = 0;
    const { handler, begun, open } = gate();
    const { node } = await startWorker((input, context) => {
      runs += 1;
      return handler(input, context);
    });
    node.confirms = false;
    node.send(buildAssign(1), buildAssign(1));
    await begun;
    node.send(buildAssign(1));
    await node.until(() => node.accepted.length >= 3);
    open();
    await node.next('finish');
    node.send(buildAssign(1));
    await node.next('finish', 2);
    expect(runs).toBe(1);
    node.send({ kind: 'confirm', refs: [buildRef(1)] });
  });

  it('does not lose the result of a running attempt to a confirmation that makes no sense', async () => {
    const { handler, begun, open } = gate();
    const { node } = await startWorker(handler);
    node.send(buildAssign(1));
    await begun;
    node.send({ kind: 'confirm', refs: [buildRef(1)] });
    open('kept');
    expect(textOf((await node.next('finish')).output)).toBe('"kept"');
  });

  it('an extension that is asked for when the connection goes is not granted', async () => {
    const answers: boolean[] = [];
    const { node } = await startWorker(async (_input, context) => {
      answers.push(await context.extend(1_000));
    });
    node.send(buildAssign(1));
    await node.next('extend');
    node.cut();
    await node.next('finish');
    expect(answers).toEqual([false]);
  });
});

describe('several nodes', () => {
  async function startWithTwo() {
    const { handler, begun, open } = gate();
    const nodes = [new FakeNode(), new FakeNode()] as const;
    const worker = new Worker({
      transports: nodes.map((node) => node.transport),
      name: 'w1',
      handlers: { invoice: handler },
      total: { slots: 1 },
    });
    await track(worker).start();
    await Promise.all(nodes.map((node) => node.next('hello')));
    return { nodes, worker, begun, open };
  }

  it('the worker alone knows what is free, and tells each what the others use', async () => {
    const { nodes, begun, open } = await startWithTwo();
    const [a, b] = nodes;
    a.send(buildAssign(1));
    await begun;
    await b.until(() => b.all('beat').some((beat) => beat.foreignUse.slots === 1));
    b.send(buildAssign(2));
    expect((await b.next('refuse')).foreignUse).toMatchObject({ slots: 1 });
    open();
    await a.next('finish');
    await b.until(() => b.all('beat').at(-1)?.foreignUse.slots === 0);
    expect(b.all('finish')).toEqual([]);
  });

  it('a node that takes over hears of what another one gave, and its result', async () => {
    const { nodes, begun, open, worker } = await startWithTwo();
    const [a, b] = nodes;
    a.send(buildAssign(1));
    await begun;
    a.isUp = false;
    a.cut();
    await vi.waitFor(() => expect(a.isConnected).toBe(false), 20_000);
    b.send({ kind: 'restate' });
    expect((await b.next('hello', 2)).holds).toEqual([buildRef(1)]);
    open('over');
    expect((await b.next('finish')).ref).toEqual(buildRef(1));
    await vi.waitFor(() => expect(worker.tracking.held).toBe(0), 20_000);
  });
});
