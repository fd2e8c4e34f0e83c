import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assertProperty } from '../../../../tools/testing/property.ts';
import { type Attempt, type Run, refOf } from '../model/run.ts';
import type { RetryPolicy } from '../model/spec.ts';
import { isTerminalTask } from '../model/states.ts';
import { DEFAULT_SETTINGS } from '../settings.ts';
import { nextAttempt } from '../testing/drive.ts';
import { Harness } from '../testing/harness.ts';
import { act, actions, Life } from '../testing/random-life.ts';
import { Recorded } from '../testing/recorded.ts';

const SECOND = 1_000;
const HOUR = 3_600_000;
const YEAR = 365 * 24 * HOUR;

describe('a task whose worker died', () => {
  it.each([
    ['at once', { fixedDelayMs: 0 }, [0, 0, 0]],
    ['after a fixed delay', { fixedDelayMs: 7_000 }, [7_000, 7_000, 7_000]],
    [
      'after the delays of a list',
      { backOff: { kind: 'list', delaysMs: [1_000, 60_000] } },
      [1_000, 60_000, 60_000],
    ],
    [
      'after growing delays',
      {
        backOff: { kind: 'exponential', delayMs: 2_000, factor: 3, maxDelayMs: 10_000, jitter: 0 },
      },
      [2_000, 6_000, 10_000],
    ],
  ] satisfies [string, Partial<RetryPolicy>, number[]][])(
    'U012 is retried as its job configures: %s',
    (_how, retry, delays) => {
      for (const death of ['restart', 'out of memory'] as const) {
        const h = new Harness();
        h.addWorker({ name: 'w1' });
        const run = h.submit({ retry: { attemptsMax: 5, ...retry } });
        for (let i = 0; i < delays.length; i++) {
          const attempt = nextAttempt(h, run) as Attempt;
          expect(attempt.number).toBe(i + 1);
          h.advance(SECOND);
          // A new process under the same name, or a command that the system killed.
          if (death === 'restart') h.addWorker({ name: 'w1', instance: `after-${i}` });
          else h.fail(attempt, { exitCode: 137 });
          h.flush();
        }
        const retries = h.factsOf('taskRetryAt');
        expect(retries.map(({ at, dueAt }) => dueAt - at)).toEqual(delays);
      }
    },
  );

  it('U005 is found dead with the default settings', () => {
    const { heartbeatMs, silentMs } = DEFAULT_SETTINGS;
    expect(heartbeatMs).toBeGreaterThan(0);
    expect(silentMs).toBeLessThanOrEqual(90 * SECOND);
    const h = new Harness();
    h.addWorker({ name: 'w1' });
    // A long timeout does not keep the task with a dead worker.
    const run = h.submit({ timeouts: { hardMs: 24 * HOUR } });
    h.acceptAll();
    h.mute('w1');
    h.advance(silentMs);
    expect(run.tasks[0]).toMatchObject({ state: 'PENDING', charged: 1 });
  });
});

describe('the slot of a tenant', () => {
  /** One tenant with one slot, a run that holds it on `w1`, and one that waits for it. */
  function oneSlot() {
    const h = new Harness();
    h.apply({ kind: 'setTenant', tenant: 'acme', weight: 1, runningMax: 1 });
    h.addWorker({ name: 'w1', total: { slots: 1 } });
    const holder = h.submit();
    h.acceptAll();
    h.addWorker({ name: 'w2', total: { slots: 1 } });
    const waiting = h.submit();
    h.step();
    expect(waiting.tasks[0]?.state).toBe('QUEUED');
    return { h, holder, waiting };
  }

  it.each([
    ['its worker dies', (h: Harness) => h.mute('w1')],
    [
      'its worker dies and it is cancelled',
      (h: Harness, run: Run) => {
        h.mute('w1');
        h.apply({ kind: 'cancel', partition: 0, seq: run.seq, by: 'ann', reason: '' });
      },
    ],
    [
      'it waits for its next attempt',
      (h: Harness, run: Run) => h.fail(h.attemptOf(run), { retryAfterMs: HOUR }),
    ],
  ])('U014 is free within one lease of the worker after %s', (_what, happen) => {
    const { h, holder, waiting } = oneSlot();
    happen(h, holder);
    h.advance(DEFAULT_SETTINGS.silentMs);
    expect(waiting.tasks[0]?.state).toBe('ASSIGNED');
  });
});

describe('without a visibility timeout', () => {
  it('U022 a long task and a task far in the future run once, across take-overs', () => {
    const h = new Recorded({
      settings: { horizonMs: YEAR, heartbeatMs: HOUR, silentMs: 3 * HOUR },
    });
    h.addWorker({ name: 'w1' });
    const { seq: long } = h.submit({ job: 'long' });
    const { seq: far } = h.submit({ job: 'far', head: { dueAt: h.now + 30 * 24 * HOUR } });
    h.acceptAll();
    for (let hour = 0; hour < 24; hour++) {
      h.advance(HOUR);
      if (hour % 6 !== 5) continue;
      const held = h.heldBy('w1');
      h.takeOver();
      h.addWorker({ name: 'w1', holds: held });
      h.flush();
    }
    expect(h.run(long).tasks[0]).toMatchObject({ state: 'RUNNING', attempts: 1 });
    h.succeed(h.attemptOf(h.run(long)));
    h.advance(29 * 24 * HOUR - 1);
    expect(h.run(far).tasks[0]).toMatchObject({ state: 'PENDING', attempts: 0 });
    h.advance(1);
    h.acceptAll();
    h.advance(12 * HOUR);
    h.succeed(h.attemptOf(h.run(far)));
    h.advance(24 * HOUR);
    const assigned = h.factsOf('taskAssigned').map(({ seq }) => seq);
    expect(assigned).toEqual([long, far]);
  });
});

describe('a task that timed out', () => {
  it('U024 is stopped and superseded before its next attempt starts, and only that one counts', () => {
    for (const how of ['stops', 'is silent', 'succeeds late'] as const) {
      const h = new Harness();
      h.addWorker({ name: 'w1' });
      const run = h.submit({
        timeouts: { hardMs: 60 * SECOND, graceMs: 5 * SECOND },
        retry: { fixedDelayMs: 0 },
      });
      h.acceptAll();
      const old = h.attemptOf(run);
      h.advance(60 * SECOND);
      // The signal comes first; the next attempt does not start beside the old one.
      expect(h.effectsOf('abort')).toMatchObject([{ why: 'timeout', ref: refOf(old) }]);
      expect(h.effectsOf('assign')).toHaveLength(1);
      if (how === 'stops') h.finish(old, { kind: 'stopped' });
      h.advance(15 * SECOND);
      expect(h.effectsOf('assign')).toHaveLength(2);
      if (how !== 'stops') expect(h.effectsOf('stale')).toMatchObject([{ ref: refOf(old) }]);
      const next = h.attemptOf(run);
      h.accept(next);
      if (how === 'succeeds late') h.succeed(old, new Uint8Array([1]));
      expect(run.state).toBe('RUNNING');
      h.succeed(next, new Uint8Array([2]));
      h.succeed(old, new Uint8Array([1]));
      h.flush();
      expect(h.factsOf('runEnded')).toMatchObject([
        { state: 'SUCCEEDED', last: { attempt: 2, output: new Uint8Array([2]) } },
      ]);
    }
  });
});

describe('what has ended', () => {
  it('U029 is never assigned again, whatever workers say and after every take-over', () => {
    let endings = 0;
    assertProperty(
      fc.property(actions, (list) => {
        const life = new Life();
        for (const action of list) act(life, action);
        life.flush();
        const ended = new Set<string>();
        for (const fact of life.facts) {
          if (fact.kind === 'taskAssigned') {
            expect(ended.has(`${fact.seq}/${fact.task}`), `${fact.seq}/${fact.task}`).toBe(false);
          }
          if (fact.kind === 'runEnded') ended.add(`${fact.seq}/${fact.last.task}`);
          if (fact.kind === 'taskSucceeded') ended.add(`${fact.seq}/${fact.task}`);
        }
        endings += ended.size;
        for (const run of life.book.runs.values()) {
          for (const task of run.tasks) {
            if (isTerminalTask(task.state)) expect(task.attempt).toBeNull();
          }
        }
      }),
    );
    expect(endings).toBeGreaterThan(100);
  });
});
