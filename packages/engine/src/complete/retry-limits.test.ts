import { describe, expect, it } from 'vitest';
import type { EngineSettings } from '../settings.ts';
import { failAlways } from '../testing/drive.ts';
import { Harness } from '../testing/harness.ts';

/** Runs of the given jobs, all failing at one moment; answers when each is tried again. */
function failTogether(params: {
  settings?: Partial<EngineSettings>;
  failures: readonly { job: string; how?: Parameters<Harness['fail']>[1] }[];
}): { h: Harness; dueAt: number[] } {
  const h = new Harness({ settings: { queueWindow: 100_000, ...params.settings } });
  h.addWorker({ total: { slots: 100_000 } });
  const simple = { fixedDelayMs: 1_000, attemptsMax: 3 };
  const runs = params.failures.map(({ job }) => h.submit({ job, retry: simple }));
  h.acceptAll();
  for (const [i, run] of runs.entries()) h.fail(h.attemptOf(run), params.failures[i]?.how);
  h.flush();
  return { h, dueAt: h.factsOf('taskRetryAt').map((fact) => fact.dueAt) };
}

function busiest(times: readonly number[], periodMs: number): number {
  const counts = new Map<number, number>();
  for (const at of times) {
    const period = Math.floor(at / periodMs);
    counts.set(period, (counts.get(period) ?? 0) + 1);
  }
  return Math.max(...counts.values());
}

const many = (count: number, job: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => ({ job: job(i) }));

describe('retries', () => {
  it('FLT-07 of one job: a hundred in a minute, the others later, none dropped', () => {
    const { dueAt } = failTogether({ failures: many(350, () => 'one') });
    expect(dueAt).toHaveLength(350);
    expect(busiest(dueAt, 60_000)).toBe(100);
  });

  it('FLT-07 of one kind of failure: five hundred in a second, the others later', () => {
    const { dueAt } = failTogether({ failures: many(1_200, (i) => `job${i}`) });
    expect(dueAt).toHaveLength(1_200);
    expect(busiest(dueAt, 1_000)).toBe(500);
  });

  it('FLT-07 F22 of all kinds: no more than the limit in a second, the others later', () => {
    const kinds = [{ class: 'transient' }, { class: 'resource' }] as const;
    const failures = many(600, (i) => `job${i}`).map((failure, i) => ({
      ...failure,
      how: kinds[i % 2] as (typeof kinds)[number],
    }));
    const alone = failTogether({ failures });
    expect(busiest(alone.dueAt, 1_000)).toBe(600);
    const limited = failTogether({ failures, settings: { retriesPerSecond: 400 } });
    expect(limited.dueAt).toHaveLength(600);
    expect(busiest(limited.dueAt, 1_000)).toBe(400);
  });

  it('FLT-07 of all kinds: five thousand in a second by default, the others later', () => {
    // The limit of a kind is raised: with its default, too few kinds exist to reach the limit of all.
    const settings = {
      retriesPerSecondPerReason: 100_000,
      nodeWindow: 100_000,
      classWindow: 100_000,
    };
    const { dueAt } = failTogether({ settings, failures: many(6_000, (i) => `job${i}`) });
    expect(dueAt).toHaveLength(6_000);
    expect(busiest(dueAt, 1_000)).toBe(5_000);
    expect(Math.max(...dueAt) - Math.min(...dueAt)).toBeLessThanOrEqual(2_000);
  });

  it('EVO-06 FLT-07 2,000 tasks fail at one moment with the same error: retries return at the limited rate, and other work starts at once', () => {
    const how = { error: 'the database is down' };
    const failures = many(2_000, (i) => `job${i % 100}`).map((failure) => ({ ...failure, how }));
    const { h, dueAt } = failTogether({ failures, settings: { acceptMs: 600_000 } });
    expect(dueAt).toHaveLength(2_000);
    expect(busiest(dueAt, 1_000)).toBeLessThanOrEqual(500);
    const other = h.submit({ job: 'other' });
    h.step();
    expect(other.tasks[0]?.state).toBe('ASSIGNED');
    h.advance(60_000);
    expect(h.factsOf('taskAssigned')).toHaveLength(4_001);
  });

  it('FLT-07 of one task: as many as its policy has, five unless told', () => {
    const h = new Harness();
    h.addWorker();
    const run = h.submit();
    expect(failAlways(h, run)).toHaveLength(5);
    expect(failAlways(h, h.submit({ retry: { attemptsMax: 2 } }))).toHaveLength(2);
  });

  it('FLT-07 that were delayed are all made in the end', () => {
    const { h } = failTogether({ failures: many(350, () => 'one') });
    for (let minute = 0; minute < 6; minute++) {
      h.advance(60_000);
      for (const attempt of h.acceptAll()) h.succeed(attempt);
    }
    h.flush();
    expect(h.factsOf('runEnded').filter(({ state }) => state === 'SUCCEEDED')).toHaveLength(350);
  });

  it('FLT-07 with a delay of 1 ms and a thousand attempts starve no other tenant', () => {
    const h = new Harness();
    h.addWorker({ total: { slots: 10 } });
    const loop = { fixedDelayMs: 1, attemptsMax: 1_000 };
    const jobs = Array.from({ length: 20 }, (_, i) => `loop${i}`);
    for (const job of jobs) {
      for (let i = 0; i < 10; i++) h.submit({ tenant: 'loops', job, retry: loop });
    }
    const waits: number[] = [];
    const retryDelays: number[] = [];
    for (let second = 0; second < 60; second++) {
      const submittedAt = h.now;
      const retry = { fixedDelayMs: 200, attemptsMax: 2 };
      const other = h.submit({ tenant: 'others', job: 'other', retry });
      let failedAt = 0;
      for (let tick = 0; tick < 10; tick++) {
        for (const attempt of h.acceptAll()) {
          if (attempt.task.run !== other) h.fail(attempt, { error: 'in a loop' });
          else if (failedAt > 0) h.succeed(attempt);
          else {
            waits.push(attempt.assignedAt - submittedAt);
            failedAt = h.now;
            h.fail(attempt, { error: 'once' });
          }
          if (attempt.task.run === other && attempt.task.state === 'SUCCEEDED') {
            retryDelays.push(attempt.assignedAt - failedAt);
          }
        }
        h.flush();
        h.advance(100);
      }
    }
    expect(waits).toHaveLength(60);
    expect(Math.max(...waits)).toBeLessThanOrEqual(100);
    expect(retryDelays).toHaveLength(60);
    expect(Math.max(...retryDelays)).toBeLessThanOrEqual(400);
    // The first attempts, and a hundred retries of each job in each of the two minutes of the clock.
    const attempts = h.factsOf('taskAssigned').length - 2 * 60;
    expect(attempts).toBeLessThanOrEqual(200 + 2 * 20 * 100);
  });
});
