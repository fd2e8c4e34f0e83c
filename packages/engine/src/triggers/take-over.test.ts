import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assertProperty } from '../../../../tools/testing/property.ts';
import { isScheduleFact } from '../facts/schedule-facts.ts';
import { OVERLAPS } from '../model/schedule.ts';
import { dumpBook } from '../testing/book-dump.ts';
import { DAY, HOUR, MINUTE, NOON, Scheduled } from '../testing/scheduled.ts';

describe('a take-over', () => {
  it('U032 TRG-28 in every second of a minute neither repeats nor loses a window', () => {
    for (let second = 0; second < 60; second++) {
      const h = new Scheduled();
      h.save({ when: { kind: 'interval', everyMs: 20_000, anchorAt: NOON } });
      h.advance(MINUTE + second * 1_000);
      // What was decided and not written down is gone with the node.
      h.now += 5_000;
      h.apply({ kind: 'tick' });
      while (h.engine.schedule(h.now, h.random));
      h.takeOver();
      h.advance(2 * MINUTE);
      const windows = h.fired.map(({ window }) => window);
      const all = Array.from({ length: windows.length }, (_, i) => NOON - 40_000 + i * 20_000);
      expect(windows).toEqual(all);
      expect(h.now - windows.at(-1)!).toBeLessThan(20_000);
    }
  });

  it('TRG-14 catches up what was missed and says so', () => {
    const h = new Scheduled();
    h.save({ catchUp: { windowsMax: 5, ageMsMax: DAY, order: 'newest' } });
    h.away(5 * HOUR - 10 * MINUTE);
    expect(h.firedHours).toEqual([0, 1, 2, 3, 4]);
    expect(h.fired.every(({ catchUp }) => catchUp)).toBe(true);
    expect(JSON.parse(h.store.encoded.at(-1)!.runs.at(-1)?.head ?? '{}').window?.catchUp).toBe(
      true,
    );
  });

  it('TRG-14 runs none of them where catch-up is off, and records the skip', () => {
    const h = new Scheduled();
    h.save({ catchUp: { windowsMax: 0, ageMsMax: DAY, order: 'newest' } });
    h.away(5 * HOUR - 10 * MINUTE);
    expect(h.fired).toEqual([]);
    expect(h.skipped).toMatchObject([
      { from: NOON, to: NOON + 4 * HOUR, count: 5, reason: 'catch_up_off' },
    ]);
    h.advance(HOUR);
    expect(h.firedHours).toEqual([5]);
  });

  it('TRG-15 U045 ten missed: three run, seven are recorded as skipped', () => {
    const h = new Scheduled();
    h.save();
    h.away(10 * HOUR - 10 * MINUTE);
    expect(h.firedHours).toEqual([7, 8, 9]);
    expect(h.fired.every(({ catchUp }) => catchUp)).toBe(true);
    expect(h.skipped).toMatchObject([{ from: NOON, count: 7, reason: 'catch_up_limit' }]);
  });

  it('U034 of a weekly schedule every day loses nothing', () => {
    const h = new Scheduled();
    h.save({ when: { kind: 'interval', everyMs: 7 * DAY, anchorAt: NOON } });
    for (let day = 0; day < 70; day++) h.away(DAY);
    expect(h.fired.length).toBe(10);
    expect(new Set(h.fired.map(({ window }) => window)).size).toBe(10);
  });

  it('F27 after 30 days of nobody, minutely schedules are back at once', () => {
    const h = new Scheduled();
    const when = { kind: 'interval', everyMs: MINUTE, anchorAt: NOON } as const;
    for (let i = 0; i < 1_000; i++) h.save({ name: `s${i}`, when });
    const used = process.cpuUsage();
    h.away(30 * DAY);
    const { user, system } = process.cpuUsage(used);
    // Three are caught up and the newest is in time; 43,197 others are one fact for each schedule.
    expect(h.fired.length).toBe(1_000 * 4);
    expect(h.skipped.length).toBe(1_000);
    expect((user + system) / 1_000).toBeLessThan(5_000);
    h.advance(MINUTE);
    expect(h.fired.length).toBe(1_000 * 5);
  });

  it('TRG-17 I17 gives back the very same schedules, from the facts alone and from a checkpoint', () => {
    const act = fc.oneof(
      fc.record({ do: fc.constant('pass' as const), ms: fc.integer({ min: 1, max: 4 * HOUR }) }),
      fc.record({ do: fc.constant('away' as const), ms: fc.integer({ min: 1, max: 12 * HOUR }) }),
      fc.record({
        do: fc.constant('save' as const),
        name: fc.constantFrom('a', 'b', 'c'),
        overlap: fc.constantFrom(...OVERLAPS),
        paused: fc.boolean(),
        everyMs: fc.constantFrom(MINUTE * 20, HOUR, 3 * HOUR),
      }),
      fc.record({ do: fc.constant('remove' as const), name: fc.constantFrom('a', 'b', 'c') }),
      fc.record({ do: fc.constant('end' as const) }),
    );
    const seen = new Set<string>();
    assertProperty(
      fc.property(fc.array(act, { maxLength: 15 }), fc.nat(15), (acts, saveAt) => {
        const h = new Scheduled();
        h.endsRuns = false;
        let checkpoint = h.saveCheckpoint();
        for (const [i, a] of acts.entries()) {
          if (i === saveAt) checkpoint = h.saveCheckpoint();
          if (a.do === 'pass') h.advance(a.ms);
          else if (a.do === 'away') h.away(a.ms);
          else if (a.do === 'end') h.endRuns();
          else if (a.do === 'remove') h.remove(a.name);
          else {
            const when = { kind: 'interval', everyMs: a.everyMs, anchorAt: NOON } as const;
            h.save({ name: a.name, overlap: a.overlap, paused: a.paused, when });
          }
          h.step();
        }
        h.flush();
        const live = dumpBook(h.book);
        expect(dumpBook(h.store.rebuild(h.epoch + 1))).toEqual(live);
        expect(dumpBook(h.store.rebuild(h.epoch + 1, checkpoint))).toEqual(live);
        for (const fact of h.facts) if (isScheduleFact(fact)) seen.add(fact.kind);
        // TRG-17: every active schedule has the timer of its next window.
        for (const schedule of h.book.schedules.values()) {
          const next = schedule.recurrence?.next(schedule.decidedUpTo) ?? null;
          if (schedule.spec.paused) expect(schedule.timerBucket).toBeNull();
          else expect([schedule.timerAt, schedule.nextWindow]).toEqual([next, next]);
        }
      }),
      { numRuns: 100 },
    );
    expect(seen.size).toBe(5);
  });
});
