import type { When } from '@signalbox/engine';
import { describe, expect, it } from 'vitest';
import { previewWindows } from '../../packages/node/src/preview/index.ts';
import { liveYear } from './year-of-windows.ts';

const DAY = 86_400_000;
const HOUR = 3_600_000;
const YEAR_2027 = 1_798_761_600_000;
const cron = (expr: string, zone = 'UTC'): When => ({ kind: 'cron', expr, zone });

interface Span {
  readonly fromMs: number;
  readonly untilMs: number;
}

/** Counted without the engine: windows at a fixed distance. */
function expected(everyMs: number, anchorAt: number, year: Span): number[] {
  const { fromMs, untilMs } = year;
  const first = anchorAt + (Math.floor((fromMs - anchorAt) / everyMs) + 1) * everyMs;
  const windows: number[] = [];
  for (let window = first; window < untilMs; window += everyMs) windows.push(window);
  return windows;
}

/** Daily schedules at every five minutes of the day, a few at each. */
const anchorOf = (i: number) => (i % 288) * 300_000;

describe('a year of windows', () => {
  it('of 1,000 schedules takes less than ten seconds, and every window is there once', () => {
    const schedules = Array.from({ length: 1_000 }, (_, i): When => {
      return { kind: 'interval', everyMs: DAY, anchorAt: anchorOf(i) };
    });
    const [fromMs, untilMs] = [YEAR_2027, YEAR_2027 + 365 * DAY];
    const used = process.cpuUsage();
    const year = {
      seed: 1,
      schedules,
      fromMs,
      untilMs,
      failoverMsMean: 30 * DAY,
      takeOverMs: 8_000,
    };
    const { fired, skipped, failovers } = liveYear(year);
    // Processor time: other tests share the machine.
    const { user, system } = process.cpuUsage(used);
    for (let i = 0; i < 1_000; i++) {
      expect(fired.get(`s${i}`)).toEqual(expected(DAY, anchorOf(i), year));
    }
    expect(skipped).toBe(0);
    expect(failovers).toBeGreaterThan(3);
    expect((user + system) / 1_000).toBeLessThan(10_000);
  }, 60_000);

  it('U020 U035 TRG-12 TRG-16 1,000,000 windows across random fail-overs: none missing, none extra', () => {
    const schedules = Array.from({ length: 400 }, (_, i): When => {
      return { kind: 'interval', everyMs: HOUR, anchorAt: i * 7_919 };
    });
    const [fromMs, untilMs] = [YEAR_2027, YEAR_2027 + 2_501 * HOUR];
    const year = {
      seed: 2,
      schedules,
      fromMs,
      untilMs,
      failoverMsMean: 3 * HOUR,
      takeOverMs: 10_000,
    };
    const { fired, skipped, failovers, lateMsMax } = liveYear(year);
    let count = 0;
    for (let i = 0; i < 400; i++) {
      const windows = fired.get(`s${i}`) ?? [];
      count += windows.length;
      expect(windows).toEqual(expected(HOUR, i * 7_919, year));
    }
    expect(count).toBeGreaterThanOrEqual(1_000_000);
    expect(skipped).toBe(0);
    expect(failovers).toBeGreaterThan(500);
    expect(lateMsMax).toBeLessThan(20_000);
  }, 240_000);

  it('EXT-05 what is previewed is what fires, window by window, in every zone and grammar', () => {
    const zones = ['UTC', 'America/Los_Angeles', 'Europe/Berlin', 'Australia/Lord_Howe'];
    const exprs = ['30 2 * * *', '0 0 L * *', '15 3 * * 5L', '0 12 15W * *', '45 */6 * * MON#2'];
    const pairs = zones.flatMap((zone) => exprs.map((expr) => ({ expr, zone })));
    const schedules = pairs.map(({ expr, zone }) => cron(expr, zone));
    const [fromMs, untilMs] = [YEAR_2027, YEAR_2027 + 365 * DAY];
    const year = {
      seed: 4,
      schedules,
      fromMs,
      untilMs,
      failoverMsMean: 9 * DAY,
      takeOverMs: 9_000,
    };
    const { fired } = liveYear(year);
    for (const [i, { expr, zone }] of pairs.entries()) {
      const [from, until] = [new Date(fromMs).toISOString(), new Date(untilMs).toISOString()];
      const preview = previewWindows({ expr, timezone: zone, from, until }, fromMs);
      expect(preview.kind).toBe('windows');
      if (preview.kind === 'windows') expect(fired.get(`s${i}`)).toEqual(preview.windows);
    }
  }, 60_000);

  it('U041 EXT-04 TRG-05 on both clock changes of a year each local time fires once a day', () => {
    const zones = ['America/Los_Angeles', 'Europe/Berlin', 'Australia/Lord_Howe', 'Asia/Kolkata'];
    const schedules = zones.map((zone) => cron('30 2 * * *', zone));
    const [fromMs, untilMs] = [YEAR_2027, YEAR_2027 + 365 * DAY];
    const year = {
      seed: 3,
      schedules,
      fromMs,
      untilMs,
      failoverMsMean: 3 * DAY,
      takeOverMs: 10_000,
    };
    const { fired, skipped } = liveYear(year);
    expect(skipped).toBe(0);
    for (const [i, zone] of zones.entries()) {
      const format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short' });
      const dates = (fired.get(`s${i}`) ?? []).map((window) => format.format(window));
      expect(dates.length).toBe(365);
      expect(new Set(dates).size).toBe(365);
    }
  }, 60_000);
});
