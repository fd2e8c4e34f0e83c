import { describe, expect, it } from 'vitest';
import type { Command } from '../commands.ts';
import type { Book } from '../model/book.ts';
import { NO_RESOURCES } from '../model/resources.ts';
import { type AttemptRef, refOf } from '../model/run.ts';
import { dumpBook } from '../testing/book-dump.ts';
import { Recorded } from '../testing/recorded.ts';

const bookOf = (h: Recorded) => h.engine.core.books.get(0) as Book;
const cancel: Command = { kind: 'cancel', partition: 0, seq: 1, by: 'ann', reason: 'enough' };

/** Everything that a worker can say about an attempt. */
function reports(worker: string, ref: AttemptRef): Record<string, Command> {
  const failed = { kind: 'failed', error: 'it broke' } as const;
  const succeeded = { kind: 'succeeded', output: new Uint8Array([1]) } as const;
  return {
    accept: { kind: 'accept', worker, ref },
    refuse: { kind: 'refuse', worker, ref, foreignUse: NO_RESOURCES },
    succeeded: { kind: 'finish', worker, ref, result: succeeded },
    failed: { kind: 'finish', worker, ref, result: failed },
    stopped: { kind: 'finish', worker, ref, result: { kind: 'stopped' } },
    checkpoint: { kind: 'checkpoint', worker, ref, state: new Uint8Array([7]) },
    extend: { kind: 'extend', worker, ref, byMs: 1_000 },
    beat: { kind: 'beat', worker, foreignUse: NO_RESOURCES, progress: [{ ref, value: 3 }] },
  };
}
const REPORTS = Object.keys(reports('', {} as AttemptRef));

/** One run of two tasks, so that it lives on; the first one's attempt is running on w1. */
function setup() {
  const h = new Recorded();
  h.addWorker({ name: 'w1' });
  const run = h.submit({
    timeouts: { hardMs: 60_000 },
    tasks: [
      { name: 'a', timeouts: { hardMs: 60_000 } },
      { name: 'b', after: ['a'] },
    ],
  });
  h.acceptAll();
  return { h, run, attempt: h.attemptOf(run) };
}

describe('a report that comes twice', () => {
  it.each(REPORTS)('DUR-03 I4 has the same answer and no further effect on the run: %s', (name) => {
    const { h, attempt } = setup();
    const command = reports('w1', refOf(attempt))[name] as Command;
    const first = h.apply(command);
    h.flush();
    const after = dumpBook(bookOf(h));
    const second = h.apply(command);
    const { facts } = h.flush();
    expect(second).toEqual(first);
    expect(dumpBook(bookOf(h))).toEqual(after);
    // Saved state is written again as it is; nothing else leaves a trace.
    expect(facts.map((fact) => fact.kind)).toEqual(
      name === 'checkpoint' ? ['taskCheckpointed'] : [],
    );
  });

  it('DUR-03 I4 I5 also once the run has ended: the worker is told to forget it, and nothing changes', () => {
    const h = new Recorded();
    h.addWorker();
    const run = h.submit();
    const [attempt] = h.acceptAll();
    const report = reports('w1', refOf(attempt as NonNullable<typeof attempt>));
    const first = h.apply(report['succeeded'] as Command);
    h.flush();
    for (const name of ['succeeded', 'failed', 'stopped', 'accept', 'checkpoint', 'extend']) {
      expect(h.apply(report[name] as Command)).toEqual(first);
      const { facts, effects } = h.flush();
      expect(facts).toEqual([]);
      expect(effects).toMatchObject([{ kind: 'stale', worker: 'w1' }]);
    }
    expect(run).toMatchObject({ state: 'SUCCEEDED' });
    expect(h.factsOf('runEnded')).toHaveLength(1);
  });

  it('DUR-03 a cancel that comes twice', () => {
    const { h } = setup();
    const first = h.apply(cancel);
    h.flush();
    const after = dumpBook(bookOf(h));
    expect(h.apply({ ...cancel, by: 'bob', reason: 'again' })).toEqual(first);
    expect(h.flush()).toEqual({ facts: [], effects: [] });
    expect(dumpBook(bookOf(h))).toEqual(after);
  });

  it.each([
    'drainWorker',
    'cordonWorker',
    'uncordonWorker',
    'evictWorker',
    'detachWorker',
  ] as const)('DUR-03 %s of a worker', (kind) => {
    const { h } = setup();
    const command = { kind, worker: 'w1' } as Command;
    const first = h.apply(command);
    h.flush();
    const after = dumpBook(bookOf(h));
    expect(h.apply(command)).toEqual(first);
    expect(h.flush()).toEqual({ facts: [], effects: [] });
    expect(dumpBook(bookOf(h))).toEqual(after);
  });
});

describe('an attempt that has been superseded', () => {
  /** Its worker went silent; the task runs on another one, or again on the same under the same name. */
  function reassigned(to: string) {
    const { h, run, attempt } = setup();
    const old = refOf(attempt);
    h.mute('w1');
    h.advance(16_000);
    h.unmute('w1');
    h.addWorker({ name: to, instance: 'i2' });
    h.advance(10_000);
    h.acceptAll();
    expect(h.attemptOf(run)).toMatchObject({ number: 2, workerName: to });
    return { h, run, old };
  }

  it.each(REPORTS.flatMap((name) => [[name, 'w2'] as const, [name, 'w1'] as const]))(
    'DUR-10 LIV-09 U027 F4 I15 can no longer %s once the task runs on %s',
    (name, to) => {
      const { h, run, old } = reassigned(to);
      const before = dumpBook(bookOf(h));
      expect(h.apply(reports('w1', old)[name] as Command)).toEqual({ kind: 'done' });
      const { facts, effects } = h.flush();
      expect(facts).toEqual([]);
      expect(dumpBook(bookOf(h))).toEqual(before);
      // It is told so at once, so that it stops; a refusal has nothing to stop.
      const stale = { kind: 'stale', worker: 'w1', ref: old };
      expect(effects).toEqual(name === 'refuse' ? [] : [stale]);
      h.succeed(h.attemptOf(run));
      expect(run.tasks[0]).toMatchObject({ state: 'SUCCEEDED', attempts: 2 });
    },
  );

  it.each(REPORTS)('DUR-10 %s needs every part of its name to be right', (name) => {
    const { h, attempt } = setup();
    const right = refOf(attempt);
    const before = dumpBook(bookOf(h));
    const wrong: [string, AttemptRef][] = [
      ['w2', right],
      ['w1', { ...right, number: right.number + 1 }],
      ['w1', { ...right, token: right.token + 1 }],
      ['w1', { ...right, epoch: right.epoch - 1 }],
      ['w1', { ...right, task: 1 }],
      ['w1', { ...right, seq: right.seq + 1 }],
      ['w1', { ...right, partition: 3 }],
    ];
    for (const [worker, ref] of wrong) {
      h.apply(reports(worker, ref)[name] as Command);
      expect(h.flush().facts).toEqual([]);
      expect(dumpBook(bookOf(h))).toEqual(before);
    }
  });

  it('DUR-10 is told nothing by a node that has been superseded itself', () => {
    const { h, attempt } = setup();
    const later = { ...refOf(attempt), epoch: 2 };
    for (const report of Object.values(reports('w1', later))) h.apply(report);
    expect(h.flush()).toEqual({ facts: [], effects: [] });
  });
});

describe('a result', () => {
  it('is confirmed to its worker, and its place is free for others', () => {
    const { h, attempt } = setup();
    h.succeed(attempt);
    expect(h.flush().effects).toEqual([{ kind: 'confirm', worker: 'w1', ref: refOf(attempt) }]);
    expect(h.worker('w1').free.slots).toBe(10);
  });

  it('of an attempt that was never accepted counts: the acceptance was overtaken', () => {
    const h = new Recorded();
    h.addWorker();
    const run = h.submit();
    h.step();
    h.succeed(h.attemptOf(run), new Uint8Array([4]));
    expect(run.state).toBe('SUCCEEDED');
    expect(h.flush().facts).toMatchObject([{ kind: 'runEnded', output: new Uint8Array([4]) }]);
  });
});
