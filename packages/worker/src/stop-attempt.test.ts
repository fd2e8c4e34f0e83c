import { setTimeout as delay } from 'node:timers/promises';
import type { FromWorker } from '@signalbox/protocol/link';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { buildAssign, buildRef, textOf } from './testing/fake-node.ts';
import { gate, obedient, startWorker, stopWorkers } from './testing/start-worker.ts';

afterEach(stopWorkers);

describe('stopping an attempt', () => {
  it('WRK-04 aborts with the reason and reports that it stopped', async () => {
    const reasons: unknown[] = [];
    const { node } = await startWorker((input, context) => {
      context.signal.addEventListener('abort', () => reasons.push(context.signal.reason));
      return obedient(input, context);
    });
    node.send(buildAssign(1));
    await node.next('accept');
    node.send({ kind: 'abort', ref: buildRef(1), graceMs: 1_000, why: 'timeout' });
    expect((await node.next('finish')).result).toEqual({ kind: 'stopped' });
    expect(reasons).toEqual(['timeout']);
  });

  it('WRK-04 WRK-05 saves the state that was offered when its time is over', async () => {
    const { node } = await startWorker((input, context) => {
      context.checkpoint.offer(() => ({ page: 75 }));
      return obedient(input, context);
    });
    node.send(buildAssign(1));
    await node.next('accept');
    node.send({ kind: 'abort', ref: buildRef(1), graceMs: 1_000, why: 'timeout' });
    await node.next('finish');
    const kinds = node.heard.map((frame) => frame.kind);
    expect(kinds.slice(-2)).toEqual(['checkpoint', 'finish']);
    expect(textOf(node.all('checkpoint')[0]?.state)).toBe('{"page":75}');
  });

  it('reports stopped when the grace is over, and keeps the slot until it is really gone', async () => {
    const { handler, open, begun } = gate();
    const { node, worker } = await startWorker(handler, { total: { slots: 1 } });
    node.send(buildAssign(1));
    await begun;
    node.send({ kind: 'abort', ref: buildRef(1), graceMs: 20, why: 'cancelled' });
    expect((await node.next('finish')).result).toEqual({ kind: 'stopped' });
    node.send(buildAssign(2));
    await node.next('refuse');
    open();
    const none = { held: 0, running: 0, occupying: 0, progress: 0 };
    await vi.waitFor(() => expect(worker.tracking).toEqual(none), 20_000);
  });

  it('a success in spite of the signal is a success', async () => {
    const { handler, open, begun } = gate();
    const { node } = await startWorker(handler);
    node.send(buildAssign(1));
    const context = await begun;
    node.send({ kind: 'abort', ref: buildRef(1), graceMs: 5_000, why: 'cancelled' });
    context.signal.addEventListener('abort', () => open('done'));
    expect((await node.next('finish')).result.kind).toBe('succeeded');
  });

  it('a drained attempt has half of its grace to finish undisturbed', async () => {
    const signals: unknown[] = [];
    const { node } = await startWorker(async (_input, { signal }) => {
      signal.addEventListener('abort', () => signals.push(signal.reason));
      await delay(50);
      return 'in time';
    });
    node.send(buildAssign(1));
    await node.next('accept');
    node.send({ kind: 'abort', ref: buildRef(1), graceMs: 10_000, why: 'drained' });
    expect((await node.next('finish')).result.kind).toBe('succeeded');
    expect(signals).toEqual([]);
  });

  it('a second stop can only be sooner, and the first signal keeps its reason', async () => {
    const { handler, begun } = gate();
    const { node } = await startWorker(handler);
    node.send(buildAssign(1));
    const { signal } = await begun;
    node.send(
      { kind: 'abort', ref: buildRef(1), graceMs: 60, why: 'cancelled' },
      { kind: 'abort', ref: buildRef(1), graceMs: 600_000, why: 'drained' },
    );
    expect((await node.next('finish')).result).toEqual({ kind: 'stopped' });
    expect(signal.reason).toBe('cancelled');
  });

  it('a cancellation overtakes a drain that has not begun to disturb', async () => {
    const { node } = await startWorker(obedient);
    node.send(buildAssign(1));
    await node.next('accept');
    node.send(
      { kind: 'abort', ref: buildRef(1), graceMs: 600_000, why: 'drained' },
      { kind: 'abort', ref: buildRef(1), graceMs: 1_000, why: 'cancelled' },
    );
    expect((await node.next('finish')).result).toEqual({ kind: 'stopped' });
  });

  it('LIV-09 stops a stale attempt at once, forgets it and says nothing more of it', async () => {
    const { handler, open, begun } = gate();
    const { node, worker } = await startWorker(handler);
    node.send(buildAssign(1));
    const context = await begun;
    node.send({ kind: 'stale', ref: buildRef(1) });
    await new Promise((resolve) => context.signal.addEventListener('abort', resolve));
    expect(context.signal.reason).toBe('stale');
    open('too late');
    node.send(buildAssign(2));
    await node.next('finish');
    expect(node.all('finish').map(({ ref }) => ref)).toEqual([buildRef(2)]);
    expect(worker.tracking.held).toBeLessThanOrEqual(1);
  });

  it('asks for more time and hears the answer', async () => {
    const answers: unknown[] = [];
    const { node } = await startWorker(async (_input, context) => {
      answers.push(await context.extend(5_000), context.deadline?.getTime());
      answers.push(await context.extend(5_000));
    });
    node.send(buildAssign(1, { timeoutMs: 1_000 }));
    await node.next('extend');
    node.send({ kind: 'extended', ref: buildRef(1), granted: true, timeoutMs: 60_000 });
    await node.next('extend', 2);
    node.send({ kind: 'extended', ref: buildRef(1), granted: false, timeoutMs: 60_000 });
    await node.next('finish');
    expect(answers[0]).toBe(true);
    expect(answers[1]).toBeGreaterThan(Date.now() + 30_000);
    expect(answers[2]).toBe(false);
  });

  it('reports its progress before it asks for more time, which is granted only to what moves', async () => {
    const { node } = await startWorker(async (_input, context) => {
      context.progress(0.5);
      return context.extend(5_000);
    });
    node.send(buildAssign(1, { timeoutMs: 1_000 }));
    await node.next('extend');
    const { progress } = node.heard.at(-2) as FromWorker & { kind: 'beat' };
    expect(progress).toEqual([{ ref: buildRef(1), value: 0.5 }]);
    node.send({ kind: 'extended', ref: buildRef(1), granted: true, timeoutMs: 60_000 });
    expect(textOf((await node.next('finish')).output)).toBe('true');
  });

  it('refuses more time to a superseded attempt, which no node will answer', async () => {
    const { handler, open, begun } = gate();
    const granted = Promise.withResolvers<boolean>();
    const { node, worker } = await startWorker(async (input, context) => {
      await handler(input, context);
      context.progress(0.9);
      granted.resolve(await context.extend(5_000));
    });
    node.send(buildAssign(1));
    const { signal } = await begun;
    node.send({ kind: 'stale', ref: buildRef(1) });
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    open();
    expect(await granted.promise).toBe(false);
    const none = { held: 0, running: 0, occupying: 0, progress: 0 };
    await vi.waitFor(() => expect(worker.tracking).toEqual(none), 20_000);
  });
});
