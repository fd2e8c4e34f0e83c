import { describe, expect, it } from 'vitest';
import { Book } from '../model/book.ts';
import { DUE_LANE } from '../model/lane.ts';
import { type Attempt, refOf } from '../model/run.ts';
import type { PageWanted } from '../ready/paging.ts';
import { dumpBook } from '../testing/book-dump.ts';
import { nextAttempt } from '../testing/drive.ts';
import { Harness } from '../testing/harness.ts';
import { Recorded } from '../testing/recorded.ts';

const MINUTE = 60_000;

/** A node with one running task, whose worker is called w1. */
function running(params: Parameters<Recorded['submit']>[0] = {}) {
  const h = new Recorded();
  h.addWorker({ name: 'w1' });
  const { seq } = h.submit(params);
  h.acceptAll();
  return { h, seq };
}

/** The worker attaches to the new owner and says what it holds. */
function attachAgain(h: Recorded, name = 'w1'): void {
  h.addWorker({ name, holds: h.heldBy(name) });
  h.flush();
}

describe('a run that was fetched out of the due lane', () => {
  it('I3 does not come back with its page after a take-over, once it has ended', () => {
    const horizonMs = 60_000;
    const h = new Recorded({ settings: { horizonMs } });
    const HOUR = 60 * MINUTE;
    const due = [10, 11, 12, 13, 14].map((hours) => h.now + hours * HOUR);
    const seqs = due.map((dueAt) => (h.trySubmit({ head: { dueAt } }) as { seq: number }).seq);
    h.flush();
    const fetchIn = (seq: number) => {
      h.apply({ kind: 'fetchIn', partition: 0, lane: DUE_LANE, run: h.store.submitted(seq) });
      h.flush();
    };
    const cancel = (seq: number) => {
      h.apply({ kind: 'cancel', partition: 0, seq, by: 'ann', reason: '' });
      h.flush();
    };
    // Each gives the lane time to forget those that were fetched and have ended.
    for (const seq of seqs.slice(0, 3)) {
      fetchIn(seq);
      cancel(seq);
      h.advance(horizonMs / 10);
    }
    const last = seqs[3] as number;
    fetchIn(last);
    const before = dumpBook(h.book);
    h.takeOver();
    const after = dumpBook(h.book);
    h.now = (due[3] as number) - horizonMs;
    h.tick();
    const [page] = h.engine.pagesWanted(() => false) as [PageWanted];
    const read = h.store.readParked(page);
    expect(read.runs.map(({ seq }) => seq)).toEqual([last]);
    // It ends while the page that holds it is on its way.
    cancel(last);
    const { partition, lane } = page;
    h.apply({ kind: 'pageIn', partition, lane, ...read, after: page.after });
    h.flush();
    expect([...h.book.runs.keys()]).toEqual([]);
    expect(after).toEqual(before);
  });
});

describe('a node that takes a partition over', () => {
  it('TEN-02 charges a tenant from then on, not for what its attempts used before', () => {
    const { h } = running({ tenant: 'a' });
    const owner = h.engine.core.ofTenant('a', 1);
    h.advance(3_600_000);
    const usedBefore = owner.used(h.now);
    expect(usedBefore).toBeGreaterThan(0);
    h.loseAndTakeAgain();
    expect(h.book.epoch).toBe(2);
    expect(owner.used(h.now)).toBeCloseTo(usedBefore);
    h.advance(1_000);
    expect(owner.used(h.now)).toBeLessThan(usedBefore * 1.01);
  });

  it.each([
    ['its facts', false],
    ['a checkpoint and the facts after it', true],
  ])(
    'CLU-11 keeps what waits, goes on with what runs, tries again what died: by %s',
    (_by, saves) => {
      const h = new Recorded();
      h.addWorker({ name: 'alive', total: { slots: 1 } });
      const onAlive = h.submit().seq;
      h.acceptAll();
      h.addWorker({ name: 'dead', total: { slots: 1 } });
      const onDead = h.submit().seq;
      const checkpoint = h.saveCheckpoint();
      h.acceptAll();
      const waiting = h.submit().seq;
      h.step();
      h.takeOver(saves ? { checkpoint } : {});
      const task = (seq: number) => h.run(seq).tasks[0];
      expect(task(waiting)).toMatchObject({ state: 'QUEUED', attempts: 0 });
      expect(task(onAlive)).toMatchObject({ state: 'RUNNING', attempts: 1 });
      expect(task(onDead)).toMatchObject({ state: 'RUNNING', attempts: 1 });

      h.addWorker({ name: 'alive', total: { slots: 2 }, holds: h.heldBy('alive') });
      h.advance(14_999);
      expect(task(onAlive)?.attempt).toMatchObject({ number: 1, epoch: 1 });
      expect(task(waiting)?.attempt).toMatchObject({ number: 1, epoch: 2, workerName: 'alive' });
      expect(task(onDead)).toMatchObject({ state: 'RUNNING', charged: 0 });

      h.advance(1);
      expect(task(onDead)).toMatchObject({ state: 'PENDING', charged: 1 });
      expect(task(onDead)?.history).toMatchObject([{ worker: 'dead', outcome: 'worker_lost' }]);
      for (const attempt of h.live()) h.succeed(attempt);
      const again = nextAttempt(h, h.run(onDead));
      expect(again).toMatchObject({ number: 2, epoch: 2, workerName: 'alive' });
      h.succeed(again as Attempt);
      h.flush();
      expect(h.factsOf('runEnded').map(({ state }) => state)).toEqual([
        'SUCCEEDED',
        'SUCCEEDED',
        'SUCCEEDED',
      ]);
    },
  );

  it('DUR-14 finds what was decided but not durable as it was before: queued, with no attempt', () => {
    const h = new Recorded();
    const { seq } = h.submit();
    h.flush();
    h.addWorker({ name: 'w1' });
    while (h.engine.schedule(h.now, h.random));
    expect(h.attemptOf(h.run(seq))).toMatchObject({ number: 1, sent: false });
    h.takeOver();
    // No worker ever heard of it, so there is nothing to wait for and nothing to fence.
    expect(h.effectsOf('assign')).toEqual([]);
    expect(h.run(seq).tasks[0]).toMatchObject({ state: 'QUEUED', attempts: 0, attempt: null });
    h.addWorker({ name: 'w2' });
    expect(h.acceptAll()).toMatchObject([{ number: 1, epoch: 2, workerName: 'w2' }]);
    expect(h.effectsOf('assign')).toHaveLength(1);
  });

  it('DUR-14 has never heard of a submission that was not durable', () => {
    const h = new Recorded();
    h.submit();
    h.takeOver();
    expect(h.book).toMatchObject({ nextSeq: 1, runs: new Map() });
  });

  it('DUR-19 gets 500 results again that the dead node had not recorded: all succeed, none twice', () => {
    const h = new Recorded();
    h.addWorker({ name: 'w1', total: { slots: 500 } });
    for (let i = 0; i < 500; i++) h.submit();
    const attempts = h.acceptAll();
    for (const attempt of attempts) h.succeed(attempt);
    // The node dies with all of them in its buffer.
    h.takeOver();
    expect(h.live()).toHaveLength(500);
    const held = h.heldBy('w1');
    h.addWorker({ name: 'w1', total: { slots: 500 }, holds: held });
    for (const ref of held) {
      h.apply({ kind: 'finish', worker: 'w1', ref, result: { kind: 'succeeded', output: null } });
    }
    h.advance(10 * MINUTE);
    const ends = h.factsOf('runEnded');
    expect(ends.filter(({ state }) => state === 'SUCCEEDED')).toHaveLength(500);
    expect(new Set(ends.map(({ seq }) => seq)).size).toBe(500);
    expect(h.factsOf('taskAssigned')).toHaveLength(500);
    expect(h.effectsOf('confirm')).toHaveLength(500);
    expect(h.book.runs.size).toBe(0);
  });

  it('DUR-19 takes a result from a worker that has not attached to it yet', () => {
    const { h, seq } = running();
    h.takeOver();
    const attempt = h.attemptOf(h.run(seq));
    h.succeed(attempt);
    expect(h.flush().effects).toMatchObject([{ kind: 'confirm', worker: 'w1' }]);
    expect(h.book.runs.size).toBe(0);
  });

  it('DUR-10 does not take the result of an attempt that it has given up', () => {
    const { h, seq } = running();
    h.takeOver();
    const old = h.attemptOf(h.run(seq));
    h.advance(16_000);
    h.addWorker({ name: 'w1', holds: [refOf(old)] });
    h.succeed(old);
    const { effects } = h.flush();
    expect(effects.map(({ kind }) => kind)).toEqual(['stale', 'stale']);
    expect(h.run(seq).tasks[0]).toMatchObject({ state: 'PENDING', charged: 1 });
  });

  it('LIV-07 stops what it adopted at the time that was set when it started', () => {
    const { h } = running({ timeouts: { expectedMs: 5 * MINUTE } });
    const startedAt = h.now;
    h.advance(4 * MINUTE);
    h.takeOver();
    attachAgain(h);
    h.advance(11 * MINUTE - 1);
    expect(h.effectsOf('abort')).toEqual([]);
    h.advance(1);
    expect(h.now - startedAt).toBe(15 * MINUTE);
    expect(h.effectsOf('abort')).toMatchObject([{ why: 'timeout' }]);
  });

  it('LIV-03 gives what it adopted a fresh term to move, instead of calling it stuck', () => {
    const { h } = running({ timeouts: { progressMs: MINUTE } });
    h.advance(30_000);
    h.takeOver();
    attachAgain(h);
    h.advance(MINUTE - 1);
    expect(h.effectsOf('abort')).toEqual([]);
    h.advance(1);
    expect(h.effectsOf('abort')).toMatchObject([{ why: 'stuck' }]);
  });

  it('U088 stops what was cancelled before, as soon as its worker is there', () => {
    const { h, seq } = running();
    h.apply({ kind: 'cancel', partition: 0, seq, by: 'ann', reason: '' });
    h.flush();
    h.takeOver();
    attachAgain(h);
    expect(h.effectsOf('abort').map(({ why }) => why)).toEqual(['cancelled', 'cancelled']);
    h.finish(h.attemptOf(h.run(seq)), { kind: 'stopped' });
    h.flush();
    expect(h.factsOf('runEnded')).toMatchObject([{ state: 'CANCELLED' }]);
  });

  it('gives those it waits for a fresh term if it stood still itself', () => {
    const { h, seq } = running();
    h.takeOver();
    h.now += MINUTE;
    h.apply({ kind: 'freshen' });
    h.advance(14_999);
    expect(h.run(seq).tasks[0]?.state).toBe('RUNNING');
    h.advance(1);
    expect(h.run(seq).tasks[0]?.state).toBe('PENDING');
  });

  it('hands out what waits although its own clock is behind the one that queued it', () => {
    const h = new Recorded();
    h.addWorker({ name: 'w1' });
    const { seq } = h.submit({ head: { dueAt: h.now + 5_000 } });
    h.advance(5_000);
    h.refuse(h.attemptOf(h.run(seq)));
    h.flush();
    h.now -= 4_000;
    h.takeOver();
    h.addWorker({ name: 'w2' });
    h.advance(10_000);
    expect(h.live()).toMatchObject([{ number: 2, workerName: 'w2' }]);
  });

  it('keeps the order in which runs came', () => {
    const h = new Recorded();
    for (let i = 0; i < 20; i++) h.submit({ request: { cpuMilli: i % 3 } });
    h.flush();
    h.takeOver();
    h.addWorker({ name: 'w1', total: { slots: 20, cpuMilli: 99 } });
    h.step();
    expect(h.factsOf('taskAssigned').map(({ seq }) => seq)).toEqual(
      Array.from({ length: 20 }, (_, i) => i + 1),
    );
  });

  it('asks the workers that it already has what they hold', () => {
    const h = new Harness({ partitions: [] });
    h.addWorker({ name: 'w1' });
    h.apply({ kind: 'takePartition', book: new Book(3, 1) });
    expect(h.flush().effects).toEqual([{ kind: 'restate', worker: 'w1' }]);
  });
});

describe('a node that leaves a partition', () => {
  it('forgets all of it and says nothing about it', () => {
    const { h } = running();
    h.submit({ head: { key: 'k', dueAt: h.now + 5_000 } });
    h.submit({ executor: 'none' });
    h.step();
    h.apply({ kind: 'leavePartition', partition: 0 });
    expect(h.flush()).toEqual({ facts: [], effects: [] });
    expect(h.worker('w1').free.slots).toBe(10);
    expect(h.engine.core.wheel.size).toBe(1);
    expect(h.engine.core.queues.size).toEqual([0, 0, 0]);
    expect(h.trySubmit({ head: { key: 'k' } })).toMatchObject({ code: 'not_owner' });
    expect(h.apply({ kind: 'cancel', partition: 0, seq: 1, by: '', reason: '' })).toMatchObject({
      code: 'not_found',
    });
  });
});
