import { describe, expect, it } from 'vitest';
import type { RunHead, Task } from '../model/run.ts';
import { explainPlacement } from '../place/explain.ts';
import { buildSpec } from '../testing/builders.ts';
import { Harness } from '../testing/harness.ts';
import { Recorded } from '../testing/recorded.ts';

const endAll = (h: Harness) => {
  for (const attempt of h.acceptAll()) h.succeed(attempt);
  h.flush();
};

describe('a submission with an idempotency key', () => {
  it('DUR-06 that comes twice is one run, with the same answer, durable or not yet', () => {
    const h = new Harness();
    const first = h.trySubmit({ head: { key: 'k' } });
    expect(first).toMatchObject({ kind: 'accepted', seq: 1 });
    const same = { ...first, kind: 'duplicate' };
    expect(h.trySubmit({ head: { key: 'k' } })).toEqual(same);
    h.flush();
    h.now += 60_000;
    expect(h.trySubmit({ head: { key: 'k' }, job: 'another' })).toEqual(same);
    h.flush();
    expect(h.factsOf('runSubmitted')).toHaveLength(1);
  });

  it('DUR-06 is known when its run has ended, and to the next owner while it lives', () => {
    const h = new Recorded();
    h.addWorker();
    h.submit({ head: { key: 'ended' } });
    endAll(h);
    expect(h.trySubmit({ head: { key: 'ended' } })).toMatchObject({ kind: 'duplicate', seq: 1 });
    h.submit({ head: { key: 'live', inbox: 'i-1' } });
    h.flush();
    h.takeOver();
    expect(h.trySubmit({ head: { key: 'live' } })).toMatchObject({ kind: 'duplicate', seq: 2 });
    expect(h.trySubmit({ head: { inbox: 'i-1' } })).toMatchObject({ kind: 'duplicate', seq: 2 });
  });

  it('DUR-06 is the same run by way of the inbox, however often the entry is taken', () => {
    const h = new Harness();
    h.submit({ head: { key: 'k', inbox: 'i-1' } });
    for (const head of [{ inbox: 'i-1' }, { key: 'k', inbox: 'i-1' }]) {
      expect(h.trySubmit({ head })).toMatchObject({ kind: 'duplicate', seq: 1 });
    }
  });

  it('DUR-06 that an entry reserves in the store is free for the entry, whatever memory remembers', () => {
    const h = new Harness();
    h.submit({ head: { key: 'k' } });
    h.step();
    expect(h.trySubmit({ head: { key: 'k', inbox: 'i-2' } })).toMatchObject({ kind: 'accepted' });
  });

  it('I2 is provisional until it is durable: what would be compared with it has to wait', () => {
    const h = new Harness();
    h.flush();
    const spec = buildSpec({});
    const command = (head: RunHead) =>
      ({ kind: 'submit', partition: 0, spec, head, input: null }) as const;
    const { core } = h.engine;
    h.submit({ head: { key: 'k', unique: 'u' } });
    for (const head of [{ key: 'k' }, { unique: 'u' }, { key: 'l', unique: 'u' }]) {
      expect(h.engine.awaitedGroup(command(head))).toBe(core.groupNumber);
    }
    expect(h.engine.awaitedGroup(command({ key: 'l' }))).toBeNull();
    h.flush();
    expect(h.engine.awaitedGroup(command({ key: 'k', unique: 'u' }))).toBeNull();
    // Without a key nothing can be refused.
    h.submit({ head: { unique: 'v' } });
    expect(h.engine.awaitedGroup(command({ unique: 'v' }))).toBeNull();
  });

  it('DUR-06 belongs to its tenant', () => {
    const h = new Harness();
    h.submit({ tenant: 'acme', head: { key: 'k' } });
    expect(h.trySubmit({ tenant: 'other', head: { key: 'k' } })).toMatchObject({ seq: 2 });
  });

  it('DUR-06 that only the store still knows is withdrawn as if it had never been', () => {
    const h = new Harness({ settings: { keysKept: 1 } });
    h.addWorker();
    h.submit({ head: { key: 'old' } });
    h.submit({ head: { key: 'new' } });
    endAll(h);
    const again = h.submit({ head: { key: 'old', unique: 'u' } });
    h.step();
    const [fact] = h.factsOf('runSubmitted').slice(-1);
    if (fact === undefined) throw new Error('nothing was submitted');
    h.apply({ kind: 'withdraw', partition: 0, submitted: fact.run, lane: null });
    expect(h.flush()).toEqual({ facts: [], effects: [] });
    expect(h.engine.core.books.get(0)?.runs.has(again.seq)).toBe(false);
    expect(h.worker('w1').free.slots).toBe(10);
    expect(h.engine.core.wheel.size).toBe(1);
    expect(h.trySubmit({ head: { unique: 'u' } }).kind).toBe('accepted');
  });
});

describe('a submission with a unique value', () => {
  it('DUR-07 is answered with the live run that has it, and is free again after its end', () => {
    const h = new Harness();
    h.addWorker();
    const head = { unique: 'report-7' };
    expect(h.trySubmit({ head })).toMatchObject({ kind: 'accepted', seq: 1 });
    expect(h.trySubmit({ head })).toMatchObject({ kind: 'duplicate', seq: 1 });
    h.acceptAll();
    expect(h.trySubmit({ head })).toMatchObject({ kind: 'duplicate', seq: 1 });
    endAll(h);
    expect(h.trySubmit({ head })).toMatchObject({ kind: 'accepted', seq: 2 });
    h.apply({ kind: 'cancel', partition: 0, seq: 2, by: 'ann', reason: '' });
    expect(h.trySubmit({ head })).toMatchObject({ kind: 'accepted', seq: 3 });
  });

  it('DUR-07 belongs to its tenant and job', () => {
    const h = new Harness();
    const jobs = [{}, { job: 'other' }, { tenant: 'other' }, { tenant: 'acme\nother' }];
    for (const job of jobs) {
      expect(h.trySubmit({ ...job, head: { unique: 'u' } }).kind).toBe('accepted');
      expect(h.trySubmit({ ...job, head: { unique: 'u' } }).kind).toBe('duplicate');
    }
  });

  it('DUR-07 is known to the next owner', () => {
    const h = new Recorded();
    h.submit({ head: { unique: 'u' } });
    const checkpoint = h.saveCheckpoint();
    for (const from of [{}, { checkpoint }]) {
      h.takeOver(from);
      expect(h.trySubmit({ head: { unique: 'u' } })).toMatchObject({ kind: 'duplicate', seq: 1 });
    }
  });

  it('DUR-07 is not parked, however far ahead it is due', () => {
    const h = new Harness({ settings: { queueWindow: 0 } });
    const run = h.submit({ head: { unique: 'u', dueAt: h.now + 30 * 24 * 3_600_000 } });
    expect(run.state).toBe('PENDING');
    expect(h.submit({ head: { unique: 'v' } }).seq).toBe(2);
  });
});

describe('a submission', () => {
  it('to a partition that this node does not hold is refused', () => {
    expect(new Harness().trySubmit({ partition: 9 })).toMatchObject({ code: 'not_owner' });
  });

  it('is numbered in order of time even if the clock of a new owner is behind', () => {
    const h = new Recorded();
    const first = h.submit();
    h.flush();
    h.now -= 60_000;
    h.takeOver();
    const second = h.submit();
    expect(second.ms).toBeGreaterThanOrEqual(first.ms);
    expect(second.seq).toBe(first.seq + 1);
  });

  it('TRG-02 for a later time is PENDING until then, and starts at its millisecond', () => {
    const h = new Harness();
    h.addWorker();
    const dueAt = h.now + 3_600_000;
    const run = h.submit({ head: { dueAt } });
    h.advance(3_600_000 - 1);
    expect(run.tasks[0]).toMatchObject({ state: 'PENDING', attempts: 0 });
    h.advance(1);
    expect(run.tasks[0]).toMatchObject({ state: 'ASSIGNED', attempts: 1 });
    expect(h.attemptOf(run).assignedAt).toBe(dueAt);
  });

  it('U003 of a kind that no worker knows is held with its reason, not discarded', () => {
    const h = new Harness();
    h.addWorker({ name: 'w1', executors: ['command'] });
    const run = h.submit({ executor: 'container' });
    const other = h.submit({ executor: 'command' });
    for (const attempt of h.acceptAll()) h.succeed(attempt);
    h.advance(24 * 3_600_000);
    expect(other.state).toBe('SUCCEEDED');
    expect(run.tasks[0]).toMatchObject({ state: 'QUEUED', attempts: 0, charged: 0 });
    const why = explainPlacement(h.engine.core.workers, run.tasks[0] as Task);
    expect([...why]).toEqual([['NO_EXECUTOR', 1]]);
    h.addWorker({ name: 'w2', executors: ['container'] });
    h.step();
    expect(h.attemptOf(run).workerName).toBe('w2');
  });
});
