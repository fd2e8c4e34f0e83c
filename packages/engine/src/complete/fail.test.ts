import { describe, expect, it } from 'vitest';
import { parseDetail } from '../facts/detail.ts';
import type { Run } from '../model/run.ts';
import { formatRunId } from '../model/run-id.ts';
import { SIMPLE_RETRY } from '../model/spec.ts';
import { failAlways } from '../testing/drive.ts';
import { Harness } from '../testing/harness.ts';

const DAY = 24 * 3_600_000;

describe('a task that fails each time', () => {
  it('FLT-06 F22 is quarantined after five attempts and its owner told; there is no sixth', () => {
    const h = new Harness();
    h.addWorker();
    const run = h.submit({ job: 'poison' });
    failAlways(h, run);
    h.advance(DAY);
    expect(run.tasks[0]).toMatchObject({ state: 'QUARANTINED', attempts: 5, charged: 5 });
    expect(h.factsOf('taskAssigned')).toHaveLength(5);
    expect(h.factsOf('runEnded')).toMatchObject([
      { state: 'FAILED', last: { kind: 'taskQuarantined', attempt: 5, error: 'it broke' } },
    ]);
    expect(h.effectsOf('alert')).toEqual([
      {
        kind: 'alert',
        alert: 'quarantined',
        about: {
          ...{ tenant: run.spec.tenant, job: 'poison', run: formatRunId(run), task: 'main' },
          ...{ since: expect.any(Number), reason: expect.any(String) },
        },
      },
    ]);
  });

  it('FLT-06 is quarantined in a graph too, and the rest of the graph is not run', () => {
    const h = new Harness();
    h.addWorker();
    const run = h.submit({ tasks: [{ name: 'a' }, { name: 'b', after: ['a'] }] });
    failAlways(h, run);
    expect(run.tasks.map((task) => task.state)).toEqual(['QUARANTINED', 'CANCELLED']);
    expect(run.tasks.map((task) => task.attempts)).toEqual([5, 0]);
  });

  it('FLT-14 in the simple mode: three attempts five seconds apart, each with its own record', () => {
    const h = new Harness();
    h.addWorker();
    const run = h.submit({ retry: SIMPLE_RETRY });
    failAlways(h, run);
    expect(run.tasks[0]).toMatchObject({ state: 'FAILED', attempts: 3, charged: 3 });
    const [end] = h.factsOf('runEnded');
    const { tasks } = parseDetail(end?.detail ?? '', run.ms);
    const attempts = tasks[0]?.attempts ?? [];
    expect(attempts.map(({ number, outcome }) => [number, outcome])).toEqual([
      [1, 'transient'],
      [2, 'transient'],
      [3, 'transient'],
    ]);
    for (const [i, { assignedAt, startedAt, endedAt }] of attempts.entries()) {
      expect(endedAt - startedAt).toBe(100);
      if (i > 0) expect(assignedAt - (attempts[i - 1]?.endedAt ?? 0)).toBe(5_000);
    }
    expect(tasks[0]?.state).toBe('FAILED');
  });

  it('FLT-16 has a name of its own for every attempt, and stays the same task', () => {
    const h = new Harness();
    h.addWorker();
    const run = h.submit();
    failAlways(h, run);
    const sent = h.effectsOf('assign').map(({ attempt }) => attempt);
    expect(sent.map((attempt) => attempt.number)).toEqual([1, 2, 3, 4, 5]);
    expect(new Set(sent.map((attempt) => `${attempt.epoch}/${attempt.token}`)).size).toBe(5);
    expect(new Set(sent.map((attempt) => attempt.task))).toEqual(new Set(run.tasks));
  });
});

describe('a task that runs out of memory', () => {
  const BIG = { memoryMb: 64_000 };

  it.each([
    ['exit code 137', { exitCode: 137, error: 'Killed' }],
    ['what its error says', { error: 'JavaScript heap out of memory' }],
    ['what its worker states', { error: 'gone', class: 'resource' as const }],
  ])('FLT-03 by %s gets twice the memory, on a worker that has it', (_by, how) => {
    const h = new Harness();
    h.addWorker({ name: 'small', total: { memoryMb: 4_000 } });
    const run = h.submit({ request: { memoryMb: 3_000 } });
    expect(h.acceptAll()).toMatchObject([{ workerName: 'small' }]);
    h.addWorker({ name: 'big', total: BIG });
    for (const attempt of h.live()) h.fail(attempt, how);
    h.advance(10_000);
    const attempt = h.attemptOf(run);
    expect(attempt.shape.request.memoryMb).toBe(6_000);
    expect(attempt).toMatchObject({ number: 2, workerName: 'big' });
    expect(run.tasks[0]?.history).toMatchObject([{ worker: 'small', outcome: 'resource' }]);
  });

  it('FLT-03 waits for a bigger worker where there is none', () => {
    const h = new Harness();
    h.addWorker({ name: 'small', total: { memoryMb: 4_000 } });
    const run = h.submit({ request: { memoryMb: 3_000 } });
    for (const attempt of h.acceptAll()) h.fail(attempt, { exitCode: 137 });
    h.advance(DAY);
    expect(run.tasks[0]).toMatchObject({ state: 'QUEUED', attempts: 1 });
    h.addWorker({ name: 'big', total: BIG });
    h.step();
    expect(h.attemptOf(run).workerName).toBe('big');
  });

  it('FLT-03 never asks for more than the cap, nor for less than before', () => {
    const h = new Harness({ settings: { memoryMbMax: 10_000 } });
    h.addWorker({ total: BIG });
    const asked = (run: Run) =>
      failAlways(h, run, { exitCode: 137 }).map((attempt) => attempt.shape.request.memoryMb);
    expect(asked(h.submit({ request: { memoryMb: 3_000 } }))).toEqual([
      3_000, 6_000, 10_000, 10_000, 10_000,
    ]);
    expect(asked(h.submit({ request: { memoryMb: 20_000 } }))).toEqual([
      20_000, 20_000, 20_000, 20_000, 20_000,
    ]);
    expect(asked(h.submit())).toEqual([0, 0, 0, 0, 0]);
  });
});
