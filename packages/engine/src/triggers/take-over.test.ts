import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assertProperty } from '../../../../tools/testing/property.ts';
import { UTC } from '../cron/zone.ts';
import { Engine } from '../engine.ts';
import { isScheduleFact } from '../facts/schedule-facts.ts';
import { Book } from '../model/book.ts';
import { seededRandom } from '../model/random.ts';
import { OVERLAPS } from '../model/schedule.ts';
import { decodeCheckpoint } from '../recover/checkpoint.ts';
import { dumpBook } from '../testing/book-dump.ts';
import { buildSpec } from '../testing/builders.ts';
import { DAY, HOUR, MINUTE, NOON, Scheduled } from '../testing/scheduled.ts';
import { recurrenceOf } from './recurrence.ts';

describe('a take-over', () => {
  it('U031 tells of windows that were missed in its first step, within one window of coming back', () => {
    const h = new Scheduled();
    h.save({ graceMs: 1_000, when: { kind: 'interval', everyMs: 10 * MINUTE, anchorAt: NOON } });
    h.advance(MINUTE);
    h.flush();
    h.now += 25 * MINUTE;
    h.takeOver();
    const before = h.effects.length;
    h.tick();
    const told = h.effects.slice(before).filter(({ kind }) => kind === 'alert');
    const window = NOON + 10 * MINUTE;
    const about = { tenant: 'acme', schedule: 'nightly', window, since: window };
    expect(told).toContainEqual({
      kind: 'alert',
      alert: 'windowLate',
      about: { ...about, job: expect.any(String), run: expect.stringMatching(/^[0-9a-f-]{36}$/) },
    });
    expect(h.fired.length).toBeGreaterThan(1);
  });

  it.each(['checkpoint-2.jsonl'])(
    'U031 by a newer version: schedules of %s go on firing',
    (file) => {
      const path = new URL(`../facts/golden/${file}`, import.meta.url);
      const [header, ...lines] = readFileSync(path, 'utf8').split('\n');
      const chunks = [`${header}\n`, lines.join('\n')].map((text) =>
        new TextEncoder().encode(text),
      );
      const tasks = [{ name: 'load' }, { name: 'send', after: ['load'] }];
      const spec = buildSpec({ job: 'report', tasks });
      const book = new Book(0, 9);
      decodeCheckpoint(book, chunks, (tenant, job, version) =>
        buildSpec({ tenant, job, version, tasks }),
      );
      const schedules = [...book.schedules.values()].filter((each) => !each.spec.paused);
      expect(schedules.length).toBeGreaterThan(0);
      const engine = new Engine({}, () => UTC);
      const random = seededRandom(1);
      let now = Math.max(...schedules.map(({ decidedUpTo }) => decidedUpTo));
      engine.apply({ kind: 'takePartition', book }, now, random);
      const before = schedules.map(({ decidedUpTo }) => decidedUpTo);
      for (let day = 0; day < 40; day++) {
        now += DAY;
        engine.apply({ kind: 'tick' }, now, random);
        while (engine.schedule(now, random));
        for (const { partition, tenant, job } of [...engine.jobsWanted()]) {
          const head = { kind: 'ready', spec } as const;
          engine.apply({ kind: 'setJob', partition, tenant, job, head }, now, random);
        }
        while (engine.schedule(now, random));
        for (const seq of [...book.runs.keys()]) {
          engine.apply({ kind: 'cancel', partition: 0, seq, by: '', reason: '' }, now, random);
        }
      }
      for (const [i, { decidedUpTo }] of schedules.entries()) {
        expect(decidedUpTo).toBeGreaterThan(before[i] as number);
      }
      expect(
        engine.core.facts.some(({ kind }) => kind === 'windowFired' || kind === 'windowHeld'),
      ).toBe(true);
    },
  );

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

  it('F27 U037 after 30 days of nobody, minutely schedules are back at once', () => {
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
          const windows = recurrenceOf(schedule.spec.when, () => UTC);
          if (schedule.spec.paused) expect(schedule.timerBucket).toBeNull();
          else expect(schedule.timerAt).toBe(windows.next(schedule.decidedUpTo));
        }
      }),
      { numRuns: 100 },
    );
    expect(seen.size).toBe(5);
  });
});
