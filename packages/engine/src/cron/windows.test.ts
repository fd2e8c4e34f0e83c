import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { processorMs } from '../../../../tools/testing/processor-time.ts';
import { assertProperty } from '../../../../tools/testing/property.ts';
import { seededRandom } from '../model/random.ts';
import { type Cron, cronOf, DST_GAPS, DST_OVERLAPS } from './cron.ts';
import { cronIn, parsedCron, zoneNamed } from './testing/cron-in.ts';
import { randomCron } from './testing/random-cron.ts';
import { nextWindow, previousWindow, WINDOW_MS_MAX, WINDOW_MS_MIN } from './windows.ts';
import { UTC } from './zone.ts';

const iso = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());

function windowsOf(cron: Cron, from: string, count: number): (string | null)[] {
  const found: (string | null)[] = [];
  let at: number | null = Date.parse(from);
  while (found.length < count && at !== null) {
    at = nextWindow(cron, at);
    found.push(iso(at));
  }
  return found;
}

const days = (cron: Cron, from: string, count: number) =>
  windowsOf(cron, from, count).map((text) => text?.slice(0, 10));

/** Times that clock changes swallow for ever, rare dates, and calendars that are closed for ever. */
const HOSTILE = [
  cronIn('30 2 * 3 SUN#2', 'America/Chicago', { gap: 'skip' }),
  cronIn('30 2 * 3 SUN#2', 'America/New_York', { gap: 'skip' }),
  cronIn('30 1 * 11 SUN#1', 'America/Chicago', { overlap: 'last' }),
  cronIn('15 0 * 9 SUN#1', 'America/Santiago', { gap: 'skip' }),
  cronIn('59 59 23 * 2 MON#5', 'Antarctica/Troll'),
  cronIn('0 0 29 2 *', 'Europe/Lisbon'),
  cronIn('* * * * * *', 'Australia/Lord_Howe', { overlap: 'last', gap: 'skip' }),
];

describe('a search', () => {
  it('TRG-08 asks the zone a bounded number of times, whatever expression and clock changes are', () => {
    for (const cron of HOSTILE) {
      let asked = 0;
      const years = new Set<number>();
      const spanAt = (ms: number) => {
        asked++;
        years.add(new Date(ms).getUTCFullYear());
        return cron.zone.spanAt(ms);
      };
      const counted = { ...cron, zone: { ...cron.zone, name: cron.zone.name, spanAt } };
      for (const search of [nextWindow, previousWindow]) {
        asked = 0;
        years.clear();
        search(counted, Date.UTC(2025, 0, 1));
        // Each year of clocks that has to be read costs a hundred times as much as the rest.
        expect(years.size).toBeLessThanOrEqual(32);
        expect(asked).toBeLessThanOrEqual(120);
      }
    }
  });
});

describe('nextWindow', () => {
  it('TRG-03 gives one window a day for 400 days', () => {
    const cron = cronIn('0 2 * * *');
    const start = Date.UTC(2024, 0, 15, 2);
    let at = start - 1;
    for (let day = 0; day < 400; day++) {
      at = nextWindow(cron, at) ?? Number.NaN;
      expect(at).toBe(start + day * 86_400_000);
    }
  });

  it('TRG-04 does not drift by a second in 10,000 windows', () => {
    const cron = cronIn('*/10 * * * * *');
    const start = Date.UTC(2026, 0, 1);
    let at = start;
    for (let count = 1; count <= 10_000; count++) {
      at = nextWindow(cron, at) ?? Number.NaN;
      expect(at).toBe(start + count * 10_000);
    }
  });

  it('TRG-07 knows the last day, the nearest weekday and the last Friday', () => {
    expect(days(cronIn('0 0 L * *'), '2024-01-01T00:00Z', 3)).toEqual([
      '2024-01-31',
      '2024-02-29',
      '2024-03-31',
    ]);
    expect(days(cronIn('0 0 L 2 *'), '2025-01-01T00:00Z', 4)).toEqual([
      '2025-02-28',
      '2026-02-28',
      '2027-02-28',
      '2028-02-29',
    ]);
    // 15 June 2024 is a Saturday, 15 September 2024 a Sunday.
    expect(days(cronIn('0 0 15W 6,9 *'), '2024-01-01T00:00Z', 2)).toEqual([
      '2024-06-14',
      '2024-09-16',
    ]);
    // 1 June 2024 is a Saturday; the weekday before is in another month. 31 March 2024 is a Sunday.
    expect(days(cronIn('0 0 1W 6 *'), '2024-01-01T00:00Z', 1)).toEqual(['2024-06-03']);
    expect(days(cronIn('0 0 31W 3 *'), '2024-01-01T00:00Z', 1)).toEqual(['2024-03-29']);
    expect(days(cronIn('0 0 LW * *'), '2024-03-01T00:00Z', 2)).toEqual([
      '2024-03-29',
      '2024-04-30',
    ]);
    expect(days(cronIn('0 0 * * 5L'), '2024-05-01T00:00Z', 2)).toEqual([
      '2024-05-31',
      '2024-06-28',
    ]);
  });

  it('takes either day field where both say something', () => {
    expect(days(cronIn('0 0 29 2 1'), '2024-02-20T00:00Z', 2)).toEqual([
      '2024-02-26',
      '2024-02-29',
    ]);
  });

  it('fires a nightly job once on the night of a clock change', () => {
    const nightly = cronIn('30 2 * * *', 'America/New_York');
    expect(windowsOf(nightly, '2025-03-08T12:00Z', 2)).toEqual([
      '2025-03-09T07:00:00.000Z',
      '2025-03-10T06:30:00.000Z',
    ]);
    const atOne = cronIn('30 1 * * *', 'America/New_York');
    expect(windowsOf(atOne, '2025-11-01T12:00Z', 2)).toEqual([
      '2025-11-02T05:30:00.000Z',
      '2025-11-03T06:30:00.000Z',
    ]);
  });

  it.each([
    ['first', ['2025-11-02T05:30:00.000Z', '2025-11-03T06:30:00.000Z']],
    ['last', ['2025-11-02T06:30:00.000Z', '2025-11-03T06:30:00.000Z']],
    ['both', ['2025-11-02T05:30:00.000Z', '2025-11-02T06:30:00.000Z']],
  ] as const)('U042 overlap %s', (overlap, expected) => {
    const cron = cronIn('30 1 * * *', 'America/New_York', { overlap });
    expect(windowsOf(cron, '2025-11-01T12:00Z', 2)).toEqual(expected);
  });

  it('TRG-08 gives up on a time that the policy always leaves out', () => {
    const skipped = cronIn('30 2 * 3 SUN#2', 'America/New_York', { gap: 'skip' });
    const from = Date.UTC(2026, 0, 1);
    expect(nextWindow(skipped, from)).toBeNull();
    expect(processorMs(() => nextWindow(skipped, from))).toBeLessThan(50);
  });

  it('finds a 29 February on a Monday forty years away', () => {
    expect(windowsOf(cronIn('0 0 * 2 MON#5'), '2072-02-29T00:00Z', 1)).toEqual([
      '2112-02-29T00:00:00.000Z',
    ]);
  });

  it('ends at the borders of time', () => {
    const cron = cronOf({ expression: parsedCron('* * * * * *'), zone: UTC });
    expect(nextWindow(cron, WINDOW_MS_MAX - 999)).toBeNull();
    expect(nextWindow(cron, Number.POSITIVE_INFINITY)).toBeNull();
    expect(nextWindow(cron, Number.NEGATIVE_INFINITY)).toBe(WINDOW_MS_MIN + 1_000);
    expect(previousWindow(cron, WINDOW_MS_MIN)).toBeNull();
    expect(previousWindow(cron, Number.NEGATIVE_INFINITY)).toBeNull();
    expect(previousWindow(cron, Number.POSITIVE_INFINITY)).toBe(WINDOW_MS_MAX - 999);
  });
});

describe('windows', () => {
  const ZONES = ['UTC', 'Europe/Berlin', 'Australia/Lord_Howe', 'America/Santiago', 'Pacific/Apia'];
  const crons = fc
    .record({
      seed: fc.nat(),
      second: fc.constantFrom('', '0 ', '*/7 ', '59 '),
      zone: fc.constantFrom(...ZONES),
      gap: fc.constantFrom(undefined, ...DST_GAPS),
      overlap: fc.constantFrom(undefined, ...DST_OVERLAPS),
    })
    .map(({ seed, second, zone, gap, overlap }) => {
      const expression = parsedCron(second + randomCron(seededRandom(seed)).text);
      return cronOf({ expression, zone: zoneNamed(zone), gap, overlap });
    });
  const instants = fc.integer({ min: Date.UTC(1990, 0), max: Date.UTC(2060, 0) });

  it('the next is later, the previous earlier, and each is the other of its neighbour', () => {
    assertProperty(
      fc.property(crons, instants, (cron, at) => {
        const next = nextWindow(cron, at);
        if (next === null) return;
        expect(next).toBeGreaterThan(at);
        expect(next % 1_000).toBe(0);
        const previous = previousWindow(cron, next);
        if (previous !== null) {
          expect(previous).toBeLessThanOrEqual(at);
          expect(nextWindow(cron, previous)).toBe(next);
        }
        expect(nextWindow(cron, next - 1)).toBe(next);
        expect(previousWindow(cron, next + 1)).toBe(next);
      }),
      { numRuns: 1_000 },
    );
  });

  it('a later instant never has an earlier window', () => {
    assertProperty(
      fc.property(crons, instants, fc.nat(400 * 86_400_000), (cron, at, later) => {
        const first = nextWindow(cron, at);
        const second = nextWindow(cron, at + later);
        if (first !== null && second !== null) expect(second).toBeGreaterThanOrEqual(first);
        if (first !== null && first > at + later) expect(second).toBe(first);
      }),
      { numRuns: 1_000 },
    );
  });
});
