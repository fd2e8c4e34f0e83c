import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assertProperty } from '../../../../tools/testing/property.ts';
import { intervalWindows } from '../cron/recurrences.ts';
import {
  DEFAULT_SCHEDULE,
  plannedStart,
  type Recurrence,
  type ScheduleSpec,
  SKIP_REASONS,
} from '../model/schedule.ts';
import { dueWindows, type WindowDecision } from './due-windows.ts';

const MINUTE = 60_000;
const minutely = intervalWindows(MINUTE, 0);

function decide(now: number, spec: Partial<ScheduleSpec> = {}, decidedUpTo = 0) {
  const full: ScheduleSpec = {
    ...DEFAULT_SCHEDULE,
    job: 'job',
    when: { kind: 'interval', everyMs: MINUTE, anchorAt: 0 },
    ...spec,
  };
  const of = { tenant: 'acme', earlier: null, name: 'nightly', spec: full, decidedUpTo };
  return dueWindows({ of, recurrence: minutely, now });
}

const fires = (decisions: WindowDecision[]) =>
  decisions.flatMap((d) => (d.kind === 'fire' ? [[d.window / MINUTE, d.catchUp]] : []));
const skips = (decisions: WindowDecision[]) =>
  decisions.flatMap((d) =>
    d.kind === 'skip' ? [[d.from / MINUTE, d.to / MINUTE, d.count, d.reason]] : [],
  );

describe('due windows', () => {
  it('TRG-02 I11 none a millisecond early, one at its instant', () => {
    expect(decide(MINUTE - 1)).toEqual([]);
    expect(decide(MINUTE)).toEqual([
      { kind: 'fire', window: MINUTE, planned: MINUTE, catchUp: false },
    ]);
    expect(decide(MINUTE + 5, {}, MINUTE)).toEqual([]);
  });

  it('TRG-16 U036 a late one is late and not missed while its grace lasts, even without catch-up', () => {
    const catchUp = { windowsMax: 0, ageMsMax: 1e12, order: 'newest' } as const;
    expect(fires(decide(MINUTE + 59_999, { catchUp }))).toEqual([[1, false]]);
    const late = decide(MINUTE + 10_001, { catchUp, graceMs: 10_000 });
    expect(late).toEqual([
      { kind: 'skip', from: MINUTE, to: MINUTE, count: 1, reason: 'catch_up_off' },
    ]);
  });

  it('TRG-15 of ten missed ones the newest three run, in their order; seven are told of', () => {
    const decisions = decide(10 * MINUTE + 30_000, { graceMs: 10_000 });
    expect(skips(decisions)).toEqual([[1, 7, 7, 'catch_up_limit']]);
    expect(fires(decisions)).toEqual([
      [8, true],
      [9, true],
      [10, true],
    ]);
  });

  it('TRG-15 or the oldest three, where the schedule says so', () => {
    const catchUp = { windowsMax: 3, ageMsMax: 1e12, order: 'oldest' } as const;
    const decisions = decide(10 * MINUTE + 30_000, { graceMs: 10_000, catchUp });
    expect(fires(decisions)).toEqual([
      [1, true],
      [2, true],
      [3, true],
    ]);
    expect(skips(decisions)).toEqual([[4, 10, 7, 'catch_up_limit']]);
  });

  it('TRG-15 what is too old does not run, however few they are', () => {
    const catchUp = { windowsMax: 5, ageMsMax: 3 * MINUTE, order: 'oldest' } as const;
    const decisions = decide(10 * MINUTE + 30_000, { graceMs: 0, catchUp });
    expect(skips(decisions)).toEqual([[1, 7, 7, 'too_old']]);
    expect(fires(decisions)).toEqual([
      [8, true],
      [9, true],
      [10, true],
    ]);
  });

  it('U037 a month of minutes is one range; the work does not grow with it', () => {
    let steps = 0;
    const counted: Recurrence = {
      next(at) {
        steps++;
        return minutely.next(at);
      },
      previous(at) {
        steps++;
        return minutely.previous(at);
      },
    };
    const now = 30 * 24 * 60 * MINUTE + 5;
    const spec = { ...DEFAULT_SCHEDULE, job: 'job', when: { kind: 'instant', at: 0 } } as const;
    const of = { tenant: 'acme', earlier: null, name: 'nightly', spec, decidedUpTo: 0 };
    const decisions = dueWindows({ of, recurrence: counted, now });
    expect(steps).toBeLessThan(1_100);
    expect(skips(decisions)).toEqual([[1, 43_196, null, 'catch_up_limit']]);
    expect(fires(decisions)).toEqual([
      [43_197, true],
      [43_198, true],
      [43_199, true],
      [43_200, false],
    ]);
  });

  it('TRG-12 I11 decides every window up to the newest due one, each once, in the order of time', () => {
    const spec = fc.record({
      jitterMs: fc.constantFrom(0, 1_000, 45_000, 300_000),
      graceMs: fc.constantFrom(0, 10_000, 60_000, 600_000),
      catchUp: fc.record({
        windowsMax: fc.nat(6),
        ageMsMax: fc.constantFrom(0, 90_000, 600_000, 1e12),
        order: fc.constantFrom('newest' as const, 'oldest' as const),
      }),
    });
    assertProperty(
      fc.property(spec, fc.nat(40 * MINUTE), fc.nat(40 * MINUTE), (some, from, forMs) => {
        const now = from + forMs;
        const decisions = decide(now, some, from);
        let mark = from;
        for (const d of decisions) {
          const [first, last] = d.kind === 'fire' ? [d.window, d.window] : [d.from, d.to];
          expect(first).toBe(minutely.next(mark));
          if (d.kind === 'skip') expect(d.count).toBe((last - first) / MINUTE + 1);
          else expect(d.planned).toBeLessThanOrEqual(now);
          mark = last;
        }
        // Nothing that is due is left over.
        const next = minutely.next(mark) as number;
        const full = {
          ...DEFAULT_SCHEDULE,
          ...some,
          job: 'job',
          when: { kind: 'instant', at: 0 },
        } as const;
        const of = { tenant: 'acme', earlier: null, name: 'nightly', spec: full };
        expect(plannedStart(of, next, next + MINUTE)).toBeGreaterThan(now);
        expect(decisions.filter((d) => d.kind === 'fire' && d.catchUp).length).toBeLessThanOrEqual(
          some.catchUp.windowsMax,
        );
      }),
    );
  });
});

describe('the page about schedules', () => {
  it('lists every reason for a skip, and no other', () => {
    const page = readFileSync(new URL('../../../../docs/schedules.md', import.meta.url), 'utf8');
    const table = page.slice(
      page.indexOf('| skipped because |'),
      page.indexOf('If the store is unavailable'),
    );
    const listed = [...table.matchAll(/`(\w+)`/g)].map(([, code]) => code);
    expect(listed.sort()).toEqual(Object.keys(SKIP_REASONS).sort());
  });
});

describe('jitter', () => {
  const of = (name: string, jitterMs: number) => ({
    tenant: 'acme',
    earlier: null,
    name,
    spec: { ...DEFAULT_SCHEDULE, jitterMs, job: 'job', when: { kind: 'instant', at: 0 } } as const,
  });

  it('TRG-09 spreads 20,000 schedules of midnight over 300 s: no second above three times the mean', () => {
    const seconds = new Array<number>(300).fill(0);
    for (let i = 0; i < 20_000; i++) {
      const planned = plannedStart(of(`s${i}`, 300_000), 0, 86_400_000);
      seconds[Math.floor(planned / 1_000)]!++;
    }
    expect(seconds.reduce((sum, n) => sum + n, 0)).toBe(20_000);
    expect(Math.max(...seconds)).toBeLessThanOrEqual(3 * (20_000 / 300));
    expect(Math.min(...seconds)).toBeGreaterThan(0);
  });

  it('TRG-09 of 0 changes nothing', () => {
    expect(plannedStart(of('a', 0), 5_000, null)).toBe(5_000);
  });

  it('TRG-10 is the same for the same window, and stays before the next one', () => {
    assertProperty(
      fc.property(
        fc.string(),
        fc.nat(1e9),
        fc.integer({ min: 1, max: 900_000 }),
        (name, window, gap) => {
          const planned = plannedStart(of(name, 300_000), window, window + gap);
          expect(plannedStart(of(name, 300_000), window, window + gap)).toBe(planned);
          expect(planned).toBeGreaterThanOrEqual(window);
          expect(planned).toBeLessThan(window + gap);
        },
      ),
    );
  });
});
