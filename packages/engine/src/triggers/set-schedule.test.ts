import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assertProperty } from '../../../../tools/testing/property.ts';
import { DAY, HOUR, MINUTE, NOON, Scheduled } from '../testing/scheduled.ts';

const every = (everyMs: number) => ({
  when: { kind: 'interval', everyMs, anchorAt: NOON } as const,
});

describe('editing a schedule', () => {
  it('re-fires nothing and loses nothing: old windows up to the saving, new ones after it', () => {
    const h = new Scheduled();
    h.save(every(HOUR));
    h.advance(MINUTE + 2 * HOUR + 30 * MINUTE);
    h.save(every(15 * MINUTE));
    h.advance(HOUR);
    expect(h.firedHours).toEqual([0, 1, 2, 2.75, 3, 3.25, 3.5]);
  });

  it('adopted late, still decides under the old version what was due before the saving', () => {
    const h = new Scheduled();
    h.save({ ...every(HOUR), jitterMs: 10 * MINUTE });
    h.advance(MINUTE);
    // The owner was away; meanwhile somebody saved at half past one.
    h.now = NOON + 2 * HOUR + 20 * MINUTE;
    h.save({ ...every(30 * MINUTE), jitterMs: 0 }, NOON + 90 * MINUTE);
    h.advance(11 * MINUTE);
    expect(h.firedHours).toEqual([0, 1, 2, 2.5]);
  });

  it('a window that waits for its jitter keeps its planned start under the version that goes', () => {
    const h = new Scheduled();
    h.save({ jitterMs: 30 * MINUTE });
    h.advance(MINUTE + 1);
    const { timerAt: planned } = h.schedule();
    h.endsRuns = false;
    h.save({ jitterMs: 0 });
    h.step();
    expect(h.fired).toMatchObject([{ window: NOON, planned }]);
    expect(h.run(1).head.dueAt).toBe(planned);
    expect(h.run(1).tasks[0]?.state).toBe('PENDING');
  });

  it('said twice, or after a newer version, changes nothing', () => {
    const h = new Scheduled();
    h.save();
    const again = {
      kind: 'setSchedule',
      partition: 0,
      tenant: 'acme',
      schedule: 'nightly',
    } as const;
    const { spec } = h.schedule();
    h.save({ jitterMs: 5 });
    h.flush();
    for (const version of [1, 2]) h.apply({ ...again, version, spec, savedAt: h.now });
    expect(h.flush().facts).toEqual([]);
    expect(h.schedule().spec.jitterMs).toBe(5);
  });

  it('a version that is told again does not bring a deleted schedule back, nor its windows', () => {
    const h = new Scheduled();
    h.save();
    const { spec } = h.schedule();
    const first = h.now;
    h.advance(MINUTE + 2 * HOUR);
    h.remove();
    h.flush();
    const again = {
      kind: 'setSchedule',
      partition: 0,
      tenant: 'acme',
      schedule: 'nightly',
    } as const;
    for (const version of [1, 2]) h.apply({ ...again, version, spec, savedAt: first });
    expect(h.flush().facts).toEqual([]);
    h.takeOver();
    h.apply({ ...again, version: 1, spec, savedAt: first });
    h.advance(HOUR);
    expect(h.firedHours).toEqual([0, 1, 2]);
    // Saved anew, even with a time from before, it goes on behind what was decided.
    h.apply({ ...again, version: 3, spec, savedAt: first });
    h.advance(HOUR);
    expect(h.firedHours).toEqual([0, 1, 2, 3, 4]);
  });

  it('a schedule stays with its job', () => {
    const h = new Scheduled();
    h.save();
    expect(h.save({ job: 'another' })).toMatchObject({ kind: 'refused', code: 'invalid' });
    expect(h.schedule().spec.job).toBe('job');
  });

  it('at any moment, however often: every window of the version that held is decided once', () => {
    const edit = fc.record({
      afterMs: fc.integer({ min: 1, max: 3 * HOUR }),
      heardMs: fc.nat(90_000),
      everyMs: fc.constantFrom(7 * MINUTE, 20 * MINUTE, HOUR),
      jitterMs: fc.constantFrom(0, 4 * MINUTE),
      takesOver: fc.boolean(),
    });
    assertProperty(
      fc.property(fc.array(edit, { minLength: 1, maxLength: 8 }), (edits) => {
        const h = new Scheduled();
        h.save({ ...every(HOUR), overlap: 'allow' });
        const expected: number[] = [];
        let from = h.now;
        let everyMs = HOUR;
        for (const e of edits) {
          h.advance(e.afterMs);
          const savedAt = h.now;
          h.advance(e.heardMs);
          if (e.takesOver) h.takeOver();
          const mark = Math.max(savedAt, h.schedule().decidedUpTo);
          h.save({ ...every(e.everyMs), jitterMs: e.jitterMs, overlap: 'allow' }, savedAt);
          expected.push(...windows(from, mark, everyMs));
          from = mark;
          everyMs = e.everyMs;
        }
        h.advance(2 * HOUR);
        expected.push(...windows(from, h.schedule().decidedUpTo, everyMs));
        h.flush();
        const skipped = h.skipped.flatMap((s) => windows(s.from - 1, s.to, MINUTE));
        const got = h.fired.map(({ window }) => window).filter((w) => !skipped.includes(w));
        expect(got).toEqual(expected.filter((w) => got.includes(w)));
        expect(expected.filter((w) => !got.includes(w) && !skipped.includes(w))).toEqual([]);
        expect(new Set(got).size).toBe(h.fired.length);
      }),
      { numRuns: 60 },
    );
  });
});

function windows(after: number, upTo: number, everyMs: number): number[] {
  const found: number[] = [];
  const first = NOON + (Math.floor((after - NOON) / everyMs) + 1) * everyMs;
  for (let window = first; window <= upTo; window += everyMs) found.push(window);
  return found;
}

describe('pausing a schedule', () => {
  it('TRG-19 fires nothing while paused, then the next window; what passed is one range', () => {
    const h = new Scheduled();
    h.save();
    h.advance(MINUTE);
    h.save({ paused: true });
    h.advance(5 * HOUR + 30 * MINUTE);
    h.save({ paused: false });
    h.advance(HOUR);
    expect(h.firedHours).toEqual([0, 6]);
    expect(h.skipped).toMatchObject([
      { from: NOON + HOUR, to: NOON + 5 * HOUR, count: 5, reason: 'paused' },
    ]);
  });

  it('TRG-19 U045 or catches up afterwards, within the same bounds', () => {
    const h = new Scheduled();
    h.save({ afterPause: 'catchUp', catchUp: { windowsMax: 2, ageMsMax: DAY, order: 'newest' } });
    h.advance(MINUTE);
    h.save({ paused: true });
    h.advance(5 * HOUR + 30 * MINUTE);
    h.takeOver();
    h.save({ paused: false });
    h.advance(HOUR);
    expect(h.firedHours).toEqual([0, 4, 5, 6]);
    expect(h.skipped).toMatchObject([{ count: 3, reason: 'catch_up_limit' }]);
  });

  it('a window that was due before the pause still has its run', () => {
    const h = new Scheduled();
    h.save();
    h.advance(MINUTE - 1);
    h.now += 10;
    h.save({ paused: true });
    h.step();
    h.advance(2 * HOUR);
    expect(h.firedHours).toEqual([0]);
  });
});
