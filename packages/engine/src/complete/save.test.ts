import { describe, expect, it } from 'vitest';
import { NO_RESOURCES } from '../model/resources.ts';
import { type Attempt, refOf } from '../model/run.ts';
import { nextAttempt } from '../testing/drive.ts';
import { Harness } from '../testing/harness.ts';
import { Recorded } from '../testing/recorded.ts';

const MINUTE = 60_000;

function report(h: Harness, attempt: Attempt, value: number): void {
  const progress = [{ ref: refOf(attempt), value }];
  h.apply({ kind: 'beat', worker: attempt.workerName, foreignUse: NO_RESOURCES, progress });
}

function save(h: Harness, attempt: Attempt, state: Uint8Array): void {
  h.apply({ kind: 'checkpoint', worker: attempt.workerName, ref: refOf(attempt), state });
}

function extend(h: Harness, attempt: Attempt, byMs = 10 * MINUTE): boolean {
  h.apply({ kind: 'extend', worker: attempt.workerName, ref: refOf(attempt), byMs });
  const [effect] = h.flush().effects;
  if (effect?.kind !== 'extended') throw new Error('an extension is always answered');
  expect(effect.hardAt).toBe(attempt.hardAt);
  return effect.granted;
}

describe('a checkpoint', () => {
  function killedAt75(saves: boolean) {
    const h = new Recorded();
    h.addWorker({ name: 'w1' });
    const run = h.submit();
    const [attempt] = h.acceptAll();
    if (attempt === undefined) throw new Error('nothing runs');
    for (let percent = 1; percent <= 75; percent++) {
      report(h, attempt, percent);
      if (saves) save(h, attempt, Uint8Array.from([percent]));
      h.advance(1_000);
    }
    h.mute('w1');
    h.addWorker({ name: 'w2' });
    h.advance(16_000);
    return { h, run };
  }

  it('WRK-05 goes with the next attempt after its worker was killed at 75 %', () => {
    const { h, run } = killedAt75(true);
    expect(nextAttempt(h, run)).toMatchObject({ number: 2, workerName: 'w2' });
    const { attempt } = h.effectsOf('assign').at(-1) as { attempt: Attempt };
    expect(attempt.number).toBe(2);
    expect(attempt.task.checkpoint).toEqual(Uint8Array.from([75]));
  });

  it('WRK-05 goes with the next attempt when the node died as well', () => {
    const { h, run } = killedAt75(true);
    h.takeOver();
    h.addWorker({ name: 'w3' });
    const again = h.run(run.seq);
    expect(nextAttempt(h, again)?.task.checkpoint).toEqual(Uint8Array.from([75]));
  });

  it('WRK-05 is none where the task saved none: it runs from the start', () => {
    const { h, run } = killedAt75(false);
    expect(nextAttempt(h, run)).toMatchObject({ number: 2, workerName: 'w2' });
    expect(run.tasks[0]?.checkpoint).toBe(null);
  });

  it.each([
    ['is tried again from it', undefined, 'RUNNING'],
    ['ends', 'end', 'TIMED_OUT'],
  ] as const)(
    'WRK-04 is kept when its time is over, and the task %s, by its policy',
    (_how, onTimeout, state) => {
      const h = new Recorded();
      h.addWorker({ name: 'w1' });
      const retry = onTimeout === undefined ? {} : { onTimeout };
      const run = h.submit({ timeouts: { hardMs: MINUTE, graceMs: 10_000 }, retry });
      const [attempt] = h.acceptAll() as [Attempt];
      h.advance(MINUTE);
      expect(h.effectsOf('abort')).toMatchObject([{ why: 'timeout' }]);
      // Its worker saves what was offered, and then stops it.
      save(h, attempt, Uint8Array.from([60]));
      h.finish(attempt, { kind: 'stopped' });
      const next = onTimeout === undefined ? nextAttempt(h, run) : undefined;
      if (next !== undefined) h.accept(next as Attempt);
      expect(run.tasks[0]).toMatchObject({ state, charged: 1 });
      expect(run.tasks[0]?.checkpoint ?? null).toEqual(
        onTimeout === undefined ? Uint8Array.from([60]) : expect.anything(),
      );
    },
  );

  it('WRK-05 of nothing at all is kept as such', () => {
    const h = new Harness();
    h.addWorker();
    const run = h.submit();
    for (const attempt of h.acceptAll()) {
      save(h, attempt, new Uint8Array(0));
      h.fail(attempt);
    }
    expect(nextAttempt(h, run)?.task.checkpoint).toEqual(new Uint8Array(0));
  });
});

describe('an extension', () => {
  function running(timeouts = { hardMs: 30 * MINUTE }) {
    const h = new Harness();
    h.addWorker();
    const run = h.submit({ timeouts });
    const [attempt] = h.acceptAll();
    if (attempt === undefined) throw new Error('nothing runs');
    return { h, run, attempt };
  }

  it('LIV-08 is granted when progress has moved since the last one, refused when not', () => {
    const { h, attempt } = running();
    const hardAt = attempt.startedAt + 30 * MINUTE;
    expect(extend(h, attempt)).toBe(false);
    report(h, attempt, 10);
    expect(extend(h, attempt)).toBe(true);
    expect(attempt.hardAt).toBe(hardAt + 10 * MINUTE);
    expect(extend(h, attempt)).toBe(false);
    report(h, attempt, 10);
    expect(extend(h, attempt)).toBe(false);
    expect(attempt.hardAt).toBe(hardAt + 10 * MINUTE);
    report(h, attempt, 11);
    expect(extend(h, attempt)).toBe(true);
    expect(attempt.hardAt).toBe(hardAt + 20 * MINUTE);
  });

  it('LIV-08 moves the time at which the attempt is stopped, and not more', () => {
    const { h, run, attempt } = running();
    report(h, attempt, 1);
    extend(h, attempt, 2 * MINUTE);
    for (let minute = 0; minute < 32; minute++) {
      expect(h.effectsOf('abort')).toEqual([]);
      report(h, attempt, 2 + minute);
      h.advance(MINUTE);
    }
    expect(h.effectsOf('abort')).toMatchObject([{ why: 'timeout' }]);
    expect(run.tasks[0]?.state).toBe('RUNNING');
  });

  it('LIV-08 is refused once the attempt has been told to stop', () => {
    const { h, attempt } = running();
    h.advance(30 * MINUTE);
    expect(h.effectsOf('abort')).toHaveLength(1);
    report(h, attempt, 99);
    expect(extend(h, attempt)).toBe(false);
  });

  it.each([0, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 31_536_000_001])(
    'LIV-08 by %d is refused',
    (byMs) => {
      const { h, attempt } = running();
      const { hardAt } = attempt;
      report(h, attempt, 1);
      expect(extend(h, attempt, byMs)).toBe(false);
      expect(attempt.hardAt).toBe(hardAt);
    },
  );

  it('LIV-08 a deadline lies at most ten years ahead, however often it moves', () => {
    const { h, attempt } = running();
    const yearMs = 31_536_000_000;
    const granted = Array.from({ length: 12 }, (_, i) => {
      report(h, attempt, i + 1);
      return extend(h, attempt, yearMs);
    });
    expect(granted.filter(Boolean)).toHaveLength(9);
    expect(attempt.hardAt).toBeLessThan(h.now + 10 * yearMs);
  });

  it('LIV-08 is not needed where nothing stops the attempt', () => {
    const { h, attempt } = running({} as { hardMs: number });
    report(h, attempt, 1);
    expect(extend(h, attempt)).toBe(false);
    expect(attempt.hardAt).toBe(0);
  });
});
