import { describe, expect, it } from 'vitest';
import { propertySeed } from '../../../../tools/testing/property.ts';
import { seededRandom } from '../model/random.ts';
import { cronOf, DST_GAPS, DST_OVERLAPS } from './cron.ts';
import { parsedCron, zoneNamed } from './testing/cron-in.ts';
import { neighbourhood, WallClock, walk } from './testing/minute-walk.ts';
import { type RandomCron, randomCron } from './testing/random-cron.ts';
import { nextWindow, previousWindow } from './windows.ts';

const ZONES = [
  'Africa/Cairo',
  'Africa/Casablanca',
  'America/Asuncion',
  'America/Caracas',
  'America/Havana',
  'America/Los_Angeles',
  'America/New_York',
  'America/Santiago',
  'America/Sao_Paulo',
  'America/St_Johns',
  'Antarctica/Casey',
  'Antarctica/Troll',
  'Asia/Amman',
  'Asia/Gaza',
  'Asia/Pyongyang',
  'Asia/Tehran',
  'Australia/Lord_Howe',
  'Australia/Sydney',
  'Europe/Berlin',
  'Europe/Lisbon',
  'Europe/London',
  'Europe/Moscow',
  'Pacific/Apia',
  'Pacific/Kwajalein',
];

const FROM_MS = Date.UTC(1990, 0, 1);
const UNTIL_MS = Date.UTC(2041, 0, 1);

const EXPRESSIONS = 1_000;

/** Of the expressions, at each clock change; `CRON_EXPRESSIONS=1000` walks with all of them. */
const EXPRESSIONS_EACH = Number(process.env['CRON_EXPRESSIONS'] ?? 12);

const GAPS = [undefined, ...DST_GAPS];
const OVERLAPS = [undefined, ...DST_OVERLAPS];

describe('clock changes', () => {
  const seed = propertySeed();
  const random = seededRandom(seed);
  const expressions = Array.from({ length: EXPRESSIONS }, (): RandomCron => randomCron(random));
  const parsed = expressions.map(({ text }) => parsedCron(text));
  let changeCount = 0;

  it('knows which expressions mean times of the clock', () => {
    expect(parsed.map(({ isFixedTime }) => isFixedTime)).toEqual(
      expressions.map(({ isFixedTime }) => isFixedTime),
    );
  });

  it.each([
    ['*/30 0 1 * * *', 4],
    ['10-12 0 1 * * *', 6],
    ['5,*/20 0 1 * * *', 8],
    ['0,30 0 1 * * *', 2],
    ['15 0 1 * * *', 1],
  ])('TRG-05 counts the seconds of %s: %i windows where 01:00 comes twice', (text, count) => {
    const cron = cronOf({ expression: parsedCron(text), zone: zoneNamed('America/New_York') });
    const [fromMs, untilMs] = [Date.UTC(2025, 10, 2, 4), Date.UTC(2025, 10, 2, 8)];
    const found: number[] = [];
    for (
      let at = nextWindow(cron, fromMs);
      at !== null && at < untilMs;
      at = nextWindow(cron, at)
    ) {
      found.push(at);
    }
    expect(found).toHaveLength(count);
    const hours = new Set(found.map((ms) => new Date(ms).getUTCHours()));
    expect([...hours]).toEqual(/[*/-]/.test(text.split(' ')[0] as string) ? [5, 6] : [5]);
  });

  it('passes over the seconds that a gap swallows, as it does with minutes', () => {
    const zone = zoneNamed('America/New_York');
    const dayBefore = Date.UTC(2025, 2, 8, 12);
    const first = (text: string) =>
      nextWindow(cronOf({ expression: parsedCron(text), zone }), dayBefore);
    expect(first('*/30 0 2 * * *')).toBe(Date.UTC(2025, 2, 10, 6));
    expect(first('*/30 2 * * *')).toBe(Date.UTC(2025, 2, 10, 6));
    expect(first('0,30 0 2 * * *')).toBe(Date.UTC(2025, 2, 9, 7));
  });

  it.each(ZONES)(
    'TRG-05 EXT-04 equals a walk by the minute around every change from 1990 to 2040 in %s',
    (name) => {
      const clock = new WallClock(name);
      const zone = zoneNamed(name);
      const changes = clock.changes(FROM_MS, UNTIL_MS);
      expect(changes.length).toBeGreaterThan(0);
      changeCount += changes.length;
      for (const changeMs of changes) {
        const around = neighbourhood(clock, changeMs);
        const first = random.int(EXPRESSIONS);
        for (let count = 0; count < EXPRESSIONS_EACH; count++) {
          const index = (first + count) % EXPRESSIONS;
          const oracle = expressions[index] as RandomCron;
          const gap = GAPS[random.int(GAPS.length)];
          const overlap = OVERLAPS[random.int(OVERLAPS.length)];
          const cron = cronOf({ expression: parsed[index]!, zone, gap, overlap });
          const expected = walk(around, oracle, cron);
          const forth: number[] = [];
          let at = nextWindow(cron, around.startMs - 1);
          while (at !== null && at < around.endMs) {
            forth.push(at);
            at = nextWindow(cron, at);
          }
          const back: number[] = [];
          at = previousWindow(cron, around.endMs);
          while (at !== null && at >= around.startMs) {
            back.push(at);
            at = previousWindow(cron, at);
          }
          if (!same(forth, expected) || !same(back.reverse(), expected)) {
            const title = `${oracle.text} gap ${cron.gap} overlap ${cron.overlap} at ${new Date(changeMs).toISOString()}; PROPERTY_SEED=${seed}`;
            expect({ forth, back }, title).toEqual({ forth: expected, back: expected });
          }
        }
      }
    },
    600_000,
  );

  it('has walked around 1,500 changes in 20 zones or more', () => {
    expect(ZONES.length).toBeGreaterThanOrEqual(20);
    expect(changeCount).toBeGreaterThan(1_500);
  });
});

function same(left: readonly number[], right: readonly number[]): boolean {
  return left.length === right.length && left.every((value, index) => value === right[index]);
}
