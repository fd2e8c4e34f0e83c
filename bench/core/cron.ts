import { cronOf, nextWindow, parseCron, type Zone } from '@signalbox/engine';
import { findZone } from '@signalbox/node/zones';
import { percentile } from './figures.ts';

/**
 * The next window of a mix of expressions in a mix of zones, at instants over four years, so that
 * clock changes, far dates and cold corners of the zones all have their share.
 */
const EXPRESSIONS = [
  '* * * * *',
  '*/15 * * * *',
  '0 * * * *',
  '30 2 * * *',
  '0 9 * * MON-FRI',
  '*/10 * * * * *',
  '0 0 1 * *',
  '0 0 L * *',
  '0 6 15W * *',
  '0 0 * * FRI#2',
  '0 18 * * 5L',
  '5,35 8-18/2 1-15 3,6,9,12 *',
  '0 0 29 2 *',
];

const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Asia/Kolkata',
  'Australia/Lord_Howe',
  'America/Santiago',
  'Africa/Casablanca',
  'Pacific/Apia',
];

/**
 * Made to make the search walk: rare dates, gaps that swallow every match, long lists. In zones of
 * their own, so that their clock changes have to be found first.
 */
const HOSTILE: readonly { expr: string; tz: string; gap?: 'skip' }[] = [
  { expr: '0 0 29 2 *', tz: 'Europe/Lisbon' },
  { expr: '59 59 23 * 2 MON#5', tz: 'Antarctica/Troll' },
  { expr: '30 2 * 3 SUN#2', tz: 'America/Chicago', gap: 'skip' },
  { expr: '15 0 * 9 SUN#1', tz: 'America/Asuncion', gap: 'skip' },
  { expr: '0 0 30 2 *', tz: 'UTC' },
  { expr: '0 0 31 2,4,6,9,11 *', tz: 'UTC' },
  { expr: `0 0 ${'L,'.repeat(200)}L 2 *`, tz: 'UTC' },
  { expr: `0 0 * 2 ${Array(80).fill('MON#5').join(',')}`, tz: 'Asia/Gaza' },
  { expr: `${Array.from({ length: 60 }, (_, i) => i).join(',')} * * * *`, tz: 'Asia/Gaza' },
  { expr: '*'.repeat(100_000), tz: 'UTC' },
];

const START_MS = Date.UTC(2025, 0, 1);
const SPREAD_MS = 4 * 365 * 86_400_000;

export function measureCron(): Record<string, number> {
  const ask = questions();
  let sum = 0;
  for (let i = 0; i < 200_000; i++) sum += ask(i);
  const count = 2_000_000;
  const start = performance.now();
  for (let i = 0; i < count; i++) sum += ask(i);
  const perSecond = Math.round(count / ((performance.now() - start) / 1_000));
  const times: number[] = [];
  for (let i = 0; i < 500_000; i++) {
    const before = performance.now();
    sum += ask(i);
    times.push(performance.now() - before);
  }
  times.sort((a, b) => a - b);
  if (!(sum > 0)) throw new Error('no windows were found');
  return {
    cronWindowsPerSecond: perSecond,
    cronWindowP99Ms: percentile(times, 0.99),
    cronHostileMsMax: Math.round(Math.max(...HOSTILE.map(hostileMs)) * 1_000) / 1_000,
  };
}

/** Answers question after question, each with another expression, zone and instant. */
function questions(): (index: number) => number {
  const crons = EXPRESSIONS.flatMap((expr) =>
    ZONES.map((tz) => cronOf({ expression: parsed(expr), zone: zoneNamed(tz) })),
  );
  // Prime numbers visit the instants in no order that a cache could like.
  const count = 10_007;
  const instants = Array.from(
    { length: count },
    (_, i) => START_MS + ((i * 7_919) % count) * (SPREAD_MS / count),
  );
  return (index) => {
    const cron = crons[index % crons.length];
    const at = instants[index % count];
    return cron === undefined || at === undefined ? 0 : (nextWindow(cron, at) ?? 0);
  };
}

/** Reading, and the first window in a zone that nobody has asked for before. */
function hostileMs({ expr, tz, gap }: (typeof HOSTILE)[number]): number {
  const start = performance.now();
  const result = parseCron(expr);
  if (result.kind === 'parsed') {
    nextWindow(cronOf({ expression: result.expression, zone: zoneNamed(tz), gap }), START_MS);
  }
  return performance.now() - start;
}

function parsed(expr: string) {
  const result = parseCron(expr);
  if (result.kind === 'refused') throw new Error(`${expr}: ${result.refusal.message}`);
  return result.expression;
}

function zoneNamed(name: string): Zone {
  const zone = findZone(name);
  if (zone === null) throw new Error(`no zone ${name}`);
  return zone;
}
