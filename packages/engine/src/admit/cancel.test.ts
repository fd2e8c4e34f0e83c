import { describe, expect, it } from 'vitest';
import type { AttemptResult } from '../commands.ts';
import type { Lane } from '../model/lane.ts';
import { type AttemptRef, type Run, refOf } from '../model/run.ts';
import { Recorded } from '../testing/recorded.ts';

/** Longer than any back-off. */
const HOUR = 3_600_000;

const cancel = (h: Recorded, seq: number) => {
  const answer = h.apply({ kind: 'cancel', partition: 0, seq, by: 'ann', reason: 'enough' });
  h.step();
  return answer;
};

/** A run in each state that is not terminal. */
const STATES: Record<string, (h: Recorded) => Run> = {
  'PENDING, due later': (h) => h.submit({ head: { dueAt: h.now + 60_000 } }),
  'PENDING, to be tried again'(h) {
    h.addWorker();
    const run = h.submit();
    for (const attempt of h.acceptAll()) h.fail(attempt);
    return run;
  },
  'PENDING, waits for a person': (h) => h.submit({ tasks: [{ name: 'ask', approval: {} }] }),
  'PENDING, waits for an event': (h) =>
    h.submit({ tasks: [{ name: 'hear', event: { type: 'never' } }] }),
  'PENDING, sleeps': (h) => h.submit({ tasks: [{ name: 'sleep', sleep: { forMs: HOUR } }] }),
  'PENDING, waits for a run': (h) => h.submit({ tasks: [{ name: 'nest', run: { job: 'inner' } }] }),
  'PENDING, its run is paused'(h) {
    const run = h.submit();
    h.apply({ kind: 'pauseRun', partition: 0, seq: run.seq, by: 'ann', reason: '' });
    return run;
  },
  'QUEUED, no worker': (h) => h.submit(),
  'QUEUED, kept apart'(h) {
    h.addWorker();
    h.submit({ job: 'neighbour' });
    h.step();
    return h.submit({ job: 'shy', apart: ['neighbour'] });
  },
  'ASSIGNED, not sent yet'(h) {
    h.addWorker();
    const run = h.submit();
    while (h.engine.schedule(h.now, h.random));
    return run;
  },
  ASSIGNED(h) {
    h.addWorker();
    return h.submit();
  },
  RUNNING(h) {
    h.addWorker();
    const run = h.submit();
    h.acceptAll();
    return run;
  },
  'RUNNING, its worker away'(h) {
    const run = (STATES['RUNNING'] as (h: Recorded) => Run)(h);
    h.apply({ kind: 'detachWorker', worker: 'w1' });
    return run;
  },
  'RUNNING, taken over'(h) {
    (STATES['RUNNING'] as (h: Recorded) => Run)(h);
    h.takeOver();
    return h.run(1);
  },
};

const setup = (state: string) => {
  const h = new Recorded();
  const run = STATES[state]?.(h) as Run;
  if (state !== 'ASSIGNED, not sent yet') h.step();
  expect(run.tasks[0]?.state).toBe(state.split(',')[0]);
  return { h, run, attempt: run.tasks[0]?.attempt ?? null };
};

describe('cancelling', () => {
  it('an assignment that nobody accepts ends at its acceptance deadline, however long its grace is', () => {
    const h = new Recorded();
    h.addWorker();
    const run = h.submit({ tasks: [{ timeouts: { graceMs: 1_000 * HOUR } }] });
    h.step();
    expect(run.tasks[0]?.state).toBe('ASSIGNED');
    cancel(h, run.seq);
    h.advance(h.engine.core.settings.acceptMs);
    expect(run.state).toBe('CANCELLED');
  });

  it('an attempt that is accepted after the request to stop has its whole grace', () => {
    const h = new Recorded();
    h.addWorker();
    const run = h.submit({ tasks: [{ timeouts: { graceMs: HOUR } }] });
    h.step();
    cancel(h, run.seq);
    h.acceptAll();
    h.advance(HOUR - 1);
    expect(run.state).toBe('RUNNING');
    h.advance(5_001);
    expect(run.state).toBe('CANCELLED');
  });

  it.each(Object.keys(STATES))(
    'U008 U013 U086 a run that is %s: it ends, at the latest after its grace',
    (state) => {
      const { h, run, attempt } = setup(state);
      expect(cancel(h, run.seq)).toEqual({ kind: 'done' });
      if (attempt === null) expect(run.state).toBe('CANCELLED');
      else {
        // It is told at once, and not with its next beat.
        expect(h.effectsOf('abort')).toMatchObject([{ why: 'cancelled', ref: refOf(attempt) }]);
        expect(run.state).toBe('RUNNING');
      }
      // 30 s of grace and 5 s of slack; a stubborn or silent worker cannot hold it up for longer.
      h.advance(35_000);
      expect(run).toMatchObject({ state: 'CANCELLED', openTasks: 0 });
      expect(run.tasks[0]?.state).toBe('CANCELLED');
      expect(h.factsOf('runEnded').filter(({ seq }) => seq === run.seq)).toMatchObject([
        { state: 'CANCELLED', last: { kind: 'taskCancelled', reason: 'cancelled' } },
      ]);
    },
  );

  it.each(Object.keys(STATES))(
    'U013 U086 U088 a run that is %s: final, whatever comes afterwards',
    (state) => {
      const { h, run, attempt } = setup(state);
      const assignedBefore = h.factsOf('taskAssigned').filter(({ seq }) => seq === run.seq).length;
      cancel(h, run.seq);
      h.advance(35_000);
      const facts = h.facts.length;
      const ref: AttemptRef =
        attempt === null
          ? { partition: 0, seq: run.seq, task: 0, number: 1, epoch: 1, token: 1 }
          : refOf(attempt);
      const results: AttemptResult[] = [
        { kind: 'succeeded', output: null },
        { kind: 'failed', error: 'late' },
        { kind: 'stopped' },
      ];
      for (const result of results) h.apply({ kind: 'finish', worker: 'w1', ref, result });
      h.apply({ kind: 'accept', worker: 'w1', ref });
      expect(cancel(h, run.seq)).toMatchObject({ kind: 'refused', code: 'not_found' });
      h.addWorker({ name: 'w9', total: { slots: 99 } });
      h.advance(3 * HOUR);
      expect(h.facts.slice(facts).filter((fact) => 'seq' in fact && fact.seq === run.seq)).toEqual(
        [],
      );
      expect(run.tasks[0]?.state).toBe('CANCELLED');
      const assigned = h.factsOf('taskAssigned').filter(({ seq }) => seq === run.seq);
      expect(assigned).toHaveLength(Math.max(assignedBefore, attempt === null ? 0 : 1));
    },
  );

  it.each([
    ['stops', (h, run) => h.finish(h.attemptOf(run), { kind: 'stopped' })],
    ['fails', (h, run) => h.fail(h.attemptOf(run))],
    ['runs out of memory', (h, run) => h.fail(h.attemptOf(run), { exitCode: 137 })],
    ['refuses', (h, run) => h.refuse(h.attemptOf(run))],
    ['dies', (h) => h.mute('w1')],
    ['restarts', (h) => void h.addWorker({ name: 'w1', instance: 'i2' })],
    ['is emptied', (h) => void h.apply({ kind: 'evictWorker', worker: 'w1' })],
    ['is drained', (h) => void h.apply({ kind: 'drainWorker', worker: 'w1' })],
  ] satisfies [string, (h: Recorded, run: Run) => void][])(
    'U088 is final, also on the last attempt, if the worker then %s',
    (_what, happen) => {
      for (const attemptsMax of [1, 5]) {
        const h = new Recorded();
        h.addWorker({ name: 'w1' });
        const run = h.submit({ retry: { attemptsMax } });
        h.acceptAll();
        cancel(h, run.seq);
        happen(h, run);
        h.advance(3 * HOUR);
        expect(run.state).toBe('CANCELLED');
        expect(run.tasks[0]).toMatchObject({ state: 'CANCELLED', attempts: 1 });
        expect(h.effectsOf('alert').filter(({ alert }) => alert === 'quarantined')).toEqual([]);
      }
    },
  );

  it('loses against a result that was already on its way: what succeeded has succeeded', () => {
    const { h, run, attempt } = setup('RUNNING');
    cancel(h, run.seq);
    h.succeed(attempt as NonNullable<typeof attempt>, new Uint8Array([1]));
    expect(run).toMatchObject({ state: 'SUCCEEDED' });
    expect(run.tasks[0]?.state).toBe('SUCCEEDED');
  });

  it('is a request: an attempt that ignores it and succeeds within its grace has succeeded', () => {
    const { h, run, attempt } = setup('RUNNING');
    cancel(h, run.seq);
    h.advance(20_000);
    h.succeed(attempt as NonNullable<typeof attempt>, new Uint8Array([1]));
    expect(run).toMatchObject({ state: 'SUCCEEDED' });
    const late = setup('RUNNING');
    cancel(late.h, late.run.seq);
    late.h.advance(35_000);
    late.h.succeed(late.attempt as NonNullable<typeof attempt>, new Uint8Array([1]));
    expect(late.run).toMatchObject({ state: 'CANCELLED' });
  });

  it('frees the place of a stubborn attempt only when its worker has had time to kill it', () => {
    const { h, run } = setup('RUNNING');
    cancel(h, run.seq);
    h.advance(35_000);
    expect(h.effectsOf('stale')).toMatchObject([{ worker: 'w1' }]);
    expect(h.worker('w1').free.slots).toBe(9);
    h.advance(5_000);
    expect(h.worker('w1').free.slots).toBe(10);
  });

  it('says who did it, and why', () => {
    const { h, run } = setup('RUNNING');
    cancel(h, run.seq);
    expect(run.cancel).toEqual({ by: 'ann', reason: 'enough' });
    expect(h.factsOf('runCancelRequested')).toMatchObject([{ by: 'ann', reason: 'enough' }]);
  });

  it('U088 a run that is parked in the store: fetched, cancelled, and not paged in again', () => {
    const h = new Recorded({ settings: { queueWindow: 2, pageSize: 2 } });
    for (let i = 0; i < 5; i++) h.trySubmit();
    h.flush();
    const [[lane, { cursor: after }]] = [...h.book.lanes] as [[string, Lane]];
    const page = h.store.readParked({ lane, after, upTo: 99, limit: 9 });
    expect(page.runs.map(({ seq }) => seq)).toEqual([3, 4, 5]);
    expect(cancel(h, 4)).toMatchObject({ code: 'not_found' });
    const fetched = { partition: 0, lane, run: h.store.submitted(4) };
    h.apply({ kind: 'fetchIn', ...fetched });
    h.flush();
    h.takeOver();
    expect(cancel(h, 4)).toEqual({ kind: 'done' });
    // The page had been read before the end of the run was durable.
    h.apply({ kind: 'pageIn', partition: 0, lane, after: h.book.lanes.get(lane)!.cursor, ...page });
    h.apply({ kind: 'fetchIn', ...fetched });
    h.flush();
    expect([...h.book.runs.keys()].sort()).toEqual([1, 2, 3, 5]);
    expect(h.book.lanes.size).toBe(0);
  });
});
