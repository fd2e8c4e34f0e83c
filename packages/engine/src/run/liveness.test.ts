import { describe, expect, it } from 'vitest';
import { seededRandom } from '../model/random.ts';
import { NO_RESOURCES } from '../model/resources.ts';
import type { EngineSettings } from '../settings.ts';
import { resources } from '../testing/builders.ts';
import { nextAttempt, percentile } from '../testing/drive.ts';
import { Harness } from '../testing/harness.ts';

const SECOND = 1_000;
/** The slowest settings that must work. */
const SLOW: Partial<EngineSettings> = { heartbeatMs: 30 * SECOND, silentMs: 90 * SECOND };

const beat = (h: Harness, worker: string, foreignUse = NO_RESOURCES) =>
  h.apply({ kind: 'beat', worker, foreignUse, progress: [] });

describe('the registry of workers', () => {
  it('LIV-01 LIV-05 is updated by every beat, at the time of this node', () => {
    const h = new Harness();
    const worker = h.addWorker({ name: 'w1', total: { slots: 8, memoryMb: 1_000 } });
    const attachedAt = h.now;
    expect(worker).toMatchObject({ lastSeenAt: attachedAt, status: 'healthy', missedBeats: 0 });
    h.now += 1_234;
    beat(h, 'w1', resources({ slots: 3, memoryMb: 400 }));
    expect(worker.lastSeenAt).toBe(attachedAt + 1_234);
    expect(worker.free).toMatchObject({ slots: 5, memoryMb: 600 });
  });

  it('LIV-01 counts the beats that a worker missed, and starts anew when it is heard of', () => {
    const h = new Harness();
    const worker = h.addWorker({ name: 'w1' });
    h.mute('w1');
    h.advance(3 * SECOND);
    beat(h, 'w1');
    h.advance(12 * SECOND);
    expect(worker.missedBeats).toBe(2);
    beat(h, 'w1');
    expect(worker.missedBeats).toBe(0);
  });

  it('LIV-01 takes any message for a sign of life', () => {
    const h = new Harness();
    h.addWorker({ name: 'w1' });
    h.mute('w1');
    for (let i = 0; i < 20; i++) {
      h.submit();
      const [attempt] = h.acceptAll();
      h.advance(5 * SECOND);
      h.succeed(attempt as NonNullable<typeof attempt>);
      h.advance(5 * SECOND);
    }
    expect(h.factsOf('runEnded')).toHaveLength(20);
    expect(h.effectsOf('alert')).toEqual([]);
    h.advance(16 * SECOND);
    expect(h.effectsOf('alert')).toMatchObject([
      { alert: 'workerLost', about: { worker: 'w1', since: expect.any(Number) } },
    ]);
  });
});

/** Kills a thousand workers at random moments of their beats; answers how long each was not noticed. */
function deaths(settings: Partial<EngineSettings>): number[] {
  const random = seededRandom(11);
  return Array.from({ length: 1_000 }, () => {
    const h = new Harness({ settings });
    h.addWorker({ name: 'w1' });
    const run = h.submit();
    h.acceptAll();
    h.addWorker({ name: 'w2' });
    const { heartbeatMs } = h.engine.core.settings;
    h.advance(Math.floor((1 + 2 * random.next()) * heartbeatMs));
    const diedAt = h.now;
    h.mute('w1');
    // Silence, and then the longest first back-off.
    h.advance(h.engine.core.settings.silentMs + 8 * SECOND);
    const [lost] = h.factsOf('taskRetryAt');
    expect(lost).toMatchObject({ reason: 'worker_lost', attempt: 1 });
    const second = h.effectsOf('assign')[1]?.attempt;
    expect(second).toMatchObject({ number: 2, workerName: 'w2', task: run.tasks[0] });
    return (lost?.at ?? Number.NaN) - diedAt;
  });
}

describe('a worker that goes silent', () => {
  it('LIV-02 U002 F4 is noticed within 15 s, and its tasks are tried on another worker', () => {
    const noticed = deaths({});
    expect(percentile(noticed, 0.5)).toBeLessThan(60 * SECOND);
    expect(percentile(noticed, 0.95)).toBeLessThan(90 * SECOND);
    expect(percentile(noticed, 0.99)).toBeLessThan(120 * SECOND);
    expect(Math.max(...noticed)).toBeLessThanOrEqual(15 * SECOND);
    expect(Math.min(...noticed)).toBeGreaterThanOrEqual(10 * SECOND);
  });

  it('LIV-02 with beats every 30 s: half of them within a minute if 70 s are silence enough', () => {
    const noticed = deaths({ heartbeatMs: 30 * SECOND, silentMs: 70 * SECOND });
    expect(percentile(noticed, 0.5)).toBeLessThan(60 * SECOND);
    expect(percentile(noticed, 0.95)).toBeLessThan(90 * SECOND);
    expect(percentile(noticed, 0.99)).toBeLessThan(120 * SECOND);
  });

  it('with beats every 30 s and 90 s of silence: between one and one and a half minutes', () => {
    const noticed = deaths(SLOW);
    // A worker that dies between two beats has been heard of 15 s ago on average, so half of the
    // deaths take longer than 75 s: quicker than a minute needs a shorter silence, as above.
    expect(Math.min(...noticed)).toBeGreaterThanOrEqual(60 * SECOND);
    expect(percentile(noticed, 0.95)).toBeLessThan(90 * SECOND);
    expect(Math.max(...noticed)).toBeLessThanOrEqual(90 * SECOND);
  });

  it.each([
    ['default', {}],
    ['30 s and 90 s', SLOW],
  ])(
    'LIV-02 is not given up a moment early, nor while it beats: %s settings',
    (_name, settings) => {
      const h = new Harness({ settings });
      h.addWorker({ name: 'w1' });
      const run = h.submit();
      h.acceptAll();
      h.advance(3_600 * SECOND);
      beat(h, 'w1');
      h.mute('w1');
      h.advance(h.engine.core.settings.silentMs - 1);
      expect(run.tasks[0]?.state).toBe('RUNNING');
      h.advance(1);
      expect(run.tasks[0]).toMatchObject({ state: 'PENDING', charged: 1 });
      expect(h.effectsOf('alert')).toMatchObject([
        { alert: 'workerLost', about: { worker: 'w1', since: expect.any(Number) } },
      ]);
    },
  );

  it('F3 is noticed 5 s after its connection closed, without waiting for the silence', () => {
    const h = new Harness({ settings: SLOW });
    h.addWorker({ name: 'w1' });
    const run = h.submit();
    h.acceptAll();
    h.addWorker({ name: 'w2' });
    h.apply({ kind: 'detachWorker', worker: 'w1' });
    h.advance(4_999);
    expect(run.tasks[0]?.state).toBe('RUNNING');
    h.advance(1);
    expect(run.tasks[0]?.state).toBe('PENDING');
    expect(nextAttempt(h, run)?.workerName).toBe('w2');
  });
});

describe('a zone that is lost', () => {
  it('FLT-17 tasks without another attempt end FAILED, and the policy of their graph applies', () => {
    const h = new Harness();
    for (let i = 0; i < 50; i++) h.addWorker({ name: `w${i}`, zone: 'a', total: { slots: 20 } });
    const once = { retry: { attemptsMax: 1, onExhausted: 'fail' } } as const;
    const tasks = [
      { name: 'first', ...once },
      { name: 'other', ...once },
      { name: 'then', after: ['first'] },
    ];
    const policies = ['FAIL_FAST', 'CONTINUE'] as const;
    const runs = policies.map((failurePolicy) =>
      Array.from({ length: 250 }, () => h.submit({ tasks, graph: { failurePolicy } })),
    );
    h.acceptAll();
    expect(h.live()).toHaveLength(1_000);
    // The tasks beside the lost ones have ended before the zone goes.
    for (const run of runs[1] ?? []) h.succeed(h.attemptOf(run, 1));
    for (let i = 0; i < 50; i++) h.mute(`w${i}`);
    for (let i = 0; i < 50; i++) h.addWorker({ name: `z${i}`, zone: 'b', total: { slots: 20 } });
    h.advance(300 * SECOND);
    expect(h.live()).toEqual([]);
    const states = runs.map((all) => [...new Set(all.map(({ state }) => state))]);
    expect(states).toEqual([['FAILED'], ['PARTIAL']]);
    const [failFast, goOn] = runs.map(([run]) => run?.tasks.map(({ state }) => state));
    expect(failFast?.[0]).toBe('FAILED');
    expect(failFast?.[2]).toBe('CANCELLED');
    expect(goOn).toEqual(['FAILED', 'SUCCEEDED', 'CANCELLED']);
  });
});

describe('a node that stood still itself', () => {
  it('gives every worker a fresh term instead of reaping its whole fleet', () => {
    const h = new Harness();
    for (let i = 0; i < 50; i++) h.addWorker({ name: `w${i}`, total: { slots: 1 } });
    for (let i = 0; i < 50; i++) h.submit();
    h.acceptAll();
    h.apply({ kind: 'detachWorker', worker: 'w0' });
    h.now += 60 * SECOND;
    h.apply({ kind: 'freshen' });
    h.apply({ kind: 'tick' });
    h.step();
    expect(h.live()).toHaveLength(50);
    expect(h.effectsOf('alert')).toEqual([]);
    // Who is really gone is noticed one term later; who is not goes on.
    h.mute('w1');
    h.advance(15 * SECOND);
    const lost = h.effectsOf('alert').map((effect) => effect.about.worker);
    expect(lost.sort()).toEqual(['w0', 'w1']);
  });

  it('would reap it without that: the term is what saves it', () => {
    const h = new Harness();
    for (let i = 0; i < 50; i++) h.addWorker({ name: `w${i}`, total: { slots: 1 } });
    h.now += 60 * SECOND;
    h.apply({ kind: 'tick' });
    h.step();
    expect(h.effectsOf('alert')).toHaveLength(50);
  });
});
