import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

interface Line {
  readonly figure: string;
  readonly what: string;
  readonly target: string;
  /** Whether the figure reaches the target; absent where there is none. */
  readonly reached?: (value: number) => boolean;
}

const LINES: readonly Line[] = [
  {
    figure: 'livesPerSecond',
    what: 'Engine alone: whole task lives per second, 1,000 workers, 200 tenants',
    target: '≥ 150,000 (aim 300,000)',
    reached: (v) => v >= 150_000,
  },
  {
    figure: 'placementP99Ms50kWorkers',
    what: 'One placement decision, 50,000 workers, 4 dimensions, p99 in ms',
    target: '< 1',
    reached: (v) => v < 1,
  },
  {
    figure: 'placementP99Ms50kWorkersAllDifferent',
    what: 'The same where no two workers are alike',
    target: '(budget 10)',
    reached: (v) => v < 10,
  },
  {
    figure: 'cronWindowsPerSecond',
    what: 'Next windows of cron expressions per second, 13 expressions in 8 zones',
    target: '≥ 200,000',
    reached: (v) => v >= 200_000,
  },
  {
    figure: 'cronWindowP99Ms',
    what: 'One next window, p99 in ms',
    target: '< 0.1',
    reached: (v) => v < 0.1,
  },
  {
    figure: 'cronHostileMsMax',
    what: 'The slowest hostile expression, read and searched, zones not yet known, ms',
    target: '< 50',
    reached: (v) => v < 50,
  },
  {
    figure: 'graphReadyMsP50Of10k',
    what: 'Readiness: a completion that releases 1,000 children of 10,000 tasks, p50 in ms',
    target: '< 1',
    reached: (v) => v < 1,
  },
  {
    figure: 'graphReadyMsP50Of100k',
    what: 'The same in a graph of 100,000 tasks: the size must not matter',
    target: '< 1',
    reached: (v) => v < 1,
  },
  {
    figure: 'graphToSingleRatio',
    what: 'Tasks per second of runs of twenty tasks, as a share of runs of one, SQLite',
    target: '≥ 0.6',
    reached: (v) => v >= 0.6,
  },
  {
    figure: 'graphWideStoredMs',
    what: 'A run of 10,000 parallel tasks and a join: stored after, ms',
    target: '≤ 2,000',
    reached: (v) => v <= 2_000,
  },
  {
    figure: 'graphOthersP95Ratio',
    what: 'Meanwhile, p95 of another tenant’s P1 from submission to assignment, as a share of before',
    target: '≤ 1.1',
    reached: (v) => v <= 1.1,
  },
  {
    figure: 'graphFanOutStoredMs',
    what: 'A fan-out of 100,000 children: stored and the first handed out after, ms',
    target: '≤ 10,000',
    reached: (v) => v <= 10_000,
  },
  {
    figure: 'graphJoinAfterLastMs',
    what: 'Its join begins so long after the last child was handed out, ms',
    target: '≤ 2,000',
    reached: (v) => v <= 2_000,
  },
  { figure: 'graphJoins', what: 'How often the join began', target: '1', reached: (v) => v === 1 },
  {
    figure: 'graphFanOutRssMb',
    what: 'What that fan-out adds to RSS, MB',
    target: '≤ 300',
    reached: (v) => v <= 300,
  },
  {
    figure: 'graphGetMsP95',
    what: 'GET of a run with 1,000 tasks, p95 in ms',
    target: '< 100',
    reached: (v) => v < 100,
  },
  {
    figure: 'scheduleTickMsMax',
    what: '200,000 schedules in 15 partitions: the longest step of ten minutes, ms of processor time',
    target: '< 50',
    reached: (v) => v < 50,
  },
  {
    figure: 'scheduleRssMb200k',
    what: 'The same: RSS with a job of its own for each, MB',
    target: '< 400',
    reached: (v) => v < 400,
  },
  {
    figure: 'scheduleBurstTickMsMax',
    what: '20,000 schedules due at one instant: the longest step, ms of processor time',
    target: '< 50',
    reached: (v) => v < 50,
  },
  {
    figure: 'scheduleBurstSqliteSeconds',
    what: '20,000 due in the same second, all persisted on SQLite after, s',
    target: '< 5',
    reached: (v) => v < 5,
  },
  {
    figure: 'scheduleBurstPostgresSeconds',
    what: '20,000 due in the same second, all persisted on PostgreSQL after, s',
    target: '< 5',
    reached: (v) => v < 5,
  },
  {
    figure: 'scheduleBurstBlockMsMax',
    what: 'The same on SQLite: how long the event loop stood still at most, ms',
    target: '< 200',
    reached: (v) => v < 200,
  },
  {
    figure: 'scheduleLatenessMsP99Idle',
    what: '100 schedules of a second on an otherwise idle node: lateness until durable, p99 in ms',
    target: '< 100',
    reached: (v) => v < 100,
  },
  {
    figure: 'postgresLivesPerSecond',
    what: 'Loop and engine on PostgreSQL: lives per second',
    target: '≥ 60,000',
    reached: (v) => v >= 60_000,
  },
  {
    figure: 'sqliteLivesPerSecond',
    what: 'Loop and engine on SQLite, synchronous FULL: lives per second',
    target: '≥ 40,000',
    reached: (v) => v >= 40_000,
  },
  {
    figure: 'insertsPerTask',
    what: 'Rows inserted in the life of a short task',
    target: '≤ 3',
    reached: (v) => v <= 3,
  },
  { figure: 'updatesPerTask', what: 'Rows updated', target: '0', reached: (v) => v === 0 },
  { figure: 'deletesPerTask', what: 'Rows deleted', target: '0', reached: (v) => v === 0 },
  {
    figure: 'walBytesPerTask',
    what: 'Bytes of write-ahead log per task (200-byte input)',
    target: 'stated',
  },
  { figure: 'nodeCpuMicrosPerTask', what: 'CPU of the node per task, µs', target: 'stated' },
  {
    figure: 'takeoverSeconds100k',
    what: 'Take-over of 100,000 live tasks on PostgreSQL, s',
    target: '< 2',
    reached: (v) => v < 2,
  },
  {
    figure: 'drainPerSecond1mWaiting',
    what: 'Drain with 1,000,000 waiting, lives per second',
    target: 'stated',
  },
  {
    figure: 'drainRatioToInMemory1m',
    what: 'Drain with 1,000,000 waiting, relative to a backlog that is all in memory',
    target: 'stated',
  },
  {
    figure: 'rssMb1mWaiting',
    what: 'RSS above idle with 1,000,000 waiting, MB',
    target: '≤ 300',
    reached: (v) => v <= 300,
  },
  {
    figure: 'dispatchRatio1m',
    what: 'Dispatch with 1,000,000 waiting, relative to an empty backlog (producer and workers)',
    target: '≥ 0.8',
    reached: (v) => v >= 0.8,
  },
  {
    figure: 'drainPerSecond10mWaiting',
    what: 'Drain with 10,000,000 waiting, lives per second',
    target: 'stated',
  },
  {
    figure: 'drainRatioToInMemory10m',
    what: 'Drain with 10,000,000 waiting, relative to a backlog that is all in memory',
    target: 'stated',
  },
  {
    figure: 'rssMb10mWaiting',
    what: 'RSS above idle with 10,000,000 waiting, MB',
    target: '≤ 600',
    reached: (v) => v <= 600,
  },
  {
    figure: 'dispatchRatio10m',
    what: 'Dispatch with 10,000,000 waiting, relative to an empty backlog (producer and workers)',
    target: '≥ 0.8',
    reached: (v) => v >= 0.8,
  },
];

const BEGIN = '<!-- measured: begin -->';
const END = '<!-- measured: end -->';

/** Renews the measured part of docs/performance.md; the words around it stay, and so do other figures. */
export function writeReport(figures: Readonly<Record<string, number | string>>): void {
  const path = fileURLToPath(new URL('../../docs/performance.md', import.meta.url));
  const page = readFileSync(path, 'utf8');
  const start = page.indexOf(BEGIN);
  const end = page.indexOf(END) + END.length;
  const kept = keptRows(page.slice(start, end));
  const rows = LINES.flatMap(({ figure, what, target, reached }) => {
    const value = figures[figure];
    if (typeof value !== 'number') return kept.get(what) ?? [];
    const verdict = reached === undefined ? '' : reached(value) ? 'yes' : '**no**';
    const measured = value.toLocaleString('en');
    return [`| ${what} | ${measured} | ${target} | ${verdict} | ${figures['date']} |`];
  });
  const table = [
    BEGIN,
    '',
    `${figures['hardware']}, Node.js ${figures['node']}, PostgreSQL 18 with fsync and synchronous_commit on.`,
    '',
    '| figure | measured | target | reached | day |',
    '|---|---|---|---|---|',
    ...rows,
    '',
    END,
  ].join('\n');
  writeFileSync(path, page.slice(0, start) + table + page.slice(end));
}

/** The rows that are there, by what they are about: a part may be measured anew without the rest. */
function keptRows(table: string): Map<string, string[]> {
  const rows = new Map<string, string[]>();
  for (const line of table.split('\n')) {
    const [, what = '', , , , day = ''] = line.split('|').map((cell) => cell.trim());
    if (day !== '') rows.set(what, [line]);
  }
  return rows;
}
