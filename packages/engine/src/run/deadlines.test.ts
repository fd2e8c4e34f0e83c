import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseDetail } from '../facts/detail.ts';
import { NO_RESOURCES } from '../model/resources.ts';
import { type Attempt, refOf } from '../model/run.ts';
import { formatRunId } from '../model/run-id.ts';
import type { Timeouts } from '../model/spec.ts';
import { nextAttempt } from '../testing/drive.ts';
import { Harness, type SubmitParams } from '../testing/harness.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

function running(timeouts: Partial<Timeouts>, more: SubmitParams = {}) {
  const h = new Harness();
  h.addWorker({ name: 'w1' });
  const run = h.submit({ timeouts, ...more });
  h.acceptAll();
  return { h, run, attempt: h.attemptOf(run), task: run.tasks[0] };
}

function report(h: Harness, attempt: Attempt, value: number): void {
  const progress = [{ ref: refOf(attempt), value }];
  h.apply({ kind: 'beat', worker: attempt.workerName, foreignUse: NO_RESOURCES, progress });
}

const aborts = (h: Harness) => h.effectsOf('abort').map(({ why }) => why);

describe('progress', () => {
  it('LIV-03 U007 that stands still for 10 min although the worker beats: stopped, and tried again', () => {
    const { h, run, attempt, task } = running({});
    report(h, attempt, 40);
    for (let s = 0; s < 599; s++) {
      h.advance(SECOND);
      report(h, attempt, 40);
    }
    expect(aborts(h)).toEqual([]);
    h.advance(SECOND);
    expect(aborts(h)).toEqual(['stuck']);
    h.finish(attempt, { kind: 'stopped' });
    expect(task).toMatchObject({ state: 'PENDING', charged: 1 });
    expect(nextAttempt(h, run)?.number).toBe(2);
    expect(task?.history).toMatchObject([{ outcome: 'stuck' }]);
  });

  it('LIV-03 that moves every 9 min is let be, for a whole day', () => {
    const { h, attempt, task } = running({});
    for (let i = 0; i < 160; i++) {
      report(h, attempt, i);
      h.advance(9 * MINUTE);
    }
    expect(aborts(h)).toEqual([]);
    expect(task).toMatchObject({ state: 'RUNNING', attempts: 1 });
  });

  it('U002 LIV-03 that is never reported means nothing: a job may be quiet for six hours', () => {
    const { h, attempt, task, run } = running({});
    h.advance(6 * HOUR);
    expect(task).toMatchObject({ state: 'RUNNING', attempts: 1 });
    expect(aborts(h)).toEqual([]);
    h.succeed(attempt);
    expect(run.state).toBe('SUCCEEDED');
  });

  it('LIV-03 has its own limit per job, which counts even if nothing is reported', () => {
    const { h } = running({ progressMs: 2 * MINUTE });
    h.advance(2 * MINUTE - 1);
    expect(aborts(h)).toEqual([]);
    h.advance(1);
    expect(aborts(h)).toEqual(['stuck']);
  });
});

describe('an attempt that takes too long', () => {
  it('LIV-07 raises an alert at twice its expected time and is stopped at three times', () => {
    const { h, run, task } = running({ expectedMs: 10 * MINUTE });
    h.advance(20 * MINUTE - 1);
    expect(h.effectsOf('alert')).toEqual([]);
    h.advance(1);
    const { tenant, job } = run.spec;
    const what = { tenant, job, run: formatRunId(run), task: 'main' };
    const about = { ...what, worker: 'w1', since: h.now - 20 * MINUTE };
    expect(h.effectsOf('alert')).toEqual([{ kind: 'alert', alert: 'softTimeout', about }]);
    h.advance(10 * MINUTE - 1);
    expect(aborts(h)).toEqual([]);
    h.advance(1);
    expect(aborts(h)).toEqual(['timeout']);
    expect(task?.state).toBe('RUNNING');
    expect(h.effectsOf('alert')).toHaveLength(1);
  });

  it('LIV-07 is stopped when its job says, earlier or later than three times', () => {
    for (const hardMs of [11 * MINUTE, 3 * HOUR]) {
      const { h } = running({ expectedMs: 10 * MINUTE, hardMs });
      h.advance(hardMs - 1);
      expect(aborts(h)).toEqual([]);
      h.advance(1);
      expect(aborts(h)).toEqual(['timeout']);
    }
  });

  it('LIV-06 LIV-07 is measured from when its worker accepted, by the clock of this node', () => {
    const h = new Harness();
    h.addWorker();
    const run = h.submit({ timeouts: { hardMs: MINUTE } });
    h.step();
    h.advance(29 * SECOND);
    h.accept(h.attemptOf(run));
    h.advance(MINUTE - 1);
    expect(aborts(h)).toEqual([]);
    h.advance(1);
    expect(aborts(h)).toEqual(['timeout']);
  });

  it('LIV-06 I4 has no result any more: what comes late counts as a timeout', () => {
    const { h, attempt, task, run } = running({ hardMs: MINUTE }, { retry: { onTimeout: 'end' } });
    h.advance(MINUTE);
    h.advance(SECOND);
    h.succeed(attempt, new Uint8Array([1]));
    expect(h.flush().effects).toEqual([{ kind: 'stale', worker: 'w1', ref: refOf(attempt) }]);
    expect(task).toMatchObject({ state: 'TIMED_OUT', output: null });
    expect(run.state).toBe('FAILED');
  });

  it('LIV-06 cannot put its deadline off by connecting again and again', () => {
    const { h, attempt } = running({ hardMs: MINUTE });
    const startedAt = h.now;
    while (h.effectsOf('abort').length === 0 && h.now - startedAt < 10 * MINUTE) {
      h.apply({ kind: 'detachWorker', worker: 'w1' });
      h.advance(3 * SECOND);
      h.addWorker({ name: 'w1', holds: [refOf(attempt)] });
      h.flush();
    }
    expect(aborts(h)[0]).toBe('timeout');
    // What it could not be told while it was away it is told when it is back, and not much later.
    expect(h.now - startedAt).toBeLessThanOrEqual(MINUTE + 10 * SECOND);
  });

  it('is given up without its worker when the grace is over, and its place is kept a little', () => {
    const { h, attempt, task } = running(
      { hardMs: MINUTE, graceMs: 10 * SECOND },
      { retry: { onTimeout: 'end' } },
    );
    h.advance(MINUTE);
    h.advance(15 * SECOND - 1);
    expect(task?.state).toBe('RUNNING');
    h.advance(1);
    expect(task?.state).toBe('TIMED_OUT');
    expect(h.effectsOf('stale')).toEqual([{ kind: 'stale', worker: 'w1', ref: refOf(attempt) }]);
    expect(h.worker('w1').free.slots).toBe(9);
    h.advance(5 * SECOND);
    expect(h.worker('w1').free.slots).toBe(10);
  });

  it('has its grace even if the task that dooms its run ends at the same moment', () => {
    const h = new Harness();
    h.addWorker();
    const run = h.submit({
      tasks: [
        { timeouts: { hardMs: 10_000, graceMs: 0 }, retry: { onTimeout: 'end' } },
        { timeouts: { expectedMs: 7_600 } },
      ],
    });
    h.acceptAll();
    h.advance(10_000);
    // One late look at both: the first is forced to an end, the second is due for a warning.
    h.now += 6_000;
    h.tick();
    expect(run.tasks.map((task) => task.state)).toEqual(['TIMED_OUT', 'RUNNING']);
    expect(aborts(h)).toEqual(['timeout', 'upstream_failed']);
  });

  it('FLT-15 ends as TIMED_OUT, not as FAILED, and can be told from it', () => {
    const h = new Harness();
    h.addWorker();
    const how = [
      { timeouts: { hardMs: MINUTE }, retry: { onTimeout: 'end' } },
      { timeouts: { hardMs: MINUTE }, retry: { attemptsMax: 1 } },
      { timeouts: { progressMs: MINUTE }, retry: { onTimeout: 'end' } },
      { timeouts: { hardMs: MINUTE }, retry: { attemptsMax: 1, onExhausted: 'fail' } },
    ] as const;
    const runs = how.map((job) => h.submit(job));
    const failing = h.submit();
    h.acceptAll();
    h.fail(h.attemptOf(failing), { class: 'permanent' });
    h.advance(2 * MINUTE);
    expect(runs.map((run) => run.tasks[0]?.state)).toEqual(how.map(() => 'TIMED_OUT'));
    const details = h.factsOf('runEnded').map(({ seq, ms, detail }) => {
      return { seq, state: parseDetail(detail, ms).tasks[0]?.state };
    });
    const timedOut = details.filter(({ state }) => state === 'TIMED_OUT').map(({ seq }) => seq);
    expect(timedOut.sort()).toEqual(runs.map((run) => run.seq));
    expect(details.find(({ seq }) => seq === failing.seq)?.state).toBe('FAILED');
  });
});

describe('the clock of a worker', () => {
  it('LIV-05 LIV-06 cannot matter: nothing that a worker says holds a time', () => {
    const source = readFileSync(new URL('../commands.ts', import.meta.url), 'utf8');
    const [commands = '', results = ''] = source.split('export type AttemptResult =');
    const said = commands.split('\n  | ').filter((part) => /worker: string|WorkerInfo;/.test(part));
    expect(said.length).toBeGreaterThanOrEqual(9);
    said.push(results.slice(0, results.indexOf('export type')));
    const fields = [...said.join().matchAll(/readonly (\w+)\??: (\w+)/g)].map(
      ([, name, type]) => `${name} ${type}`,
    );
    const numbers = [...new Set(fields.filter((field) => field.endsWith(' number')))];
    // Lengths of time, which no offset of a clock can shift; and the wait is a lower bound only.
    expect(numbers.sort()).toEqual([
      'byMs number',
      'exitCode number',
      'retryAfterMs number',
      'value number',
    ]);
    expect(fields.filter((field) => /At\b|time|clock|date/i.test(field))).toEqual([]);
  });
});
