import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

interface Line {
  readonly figure: string;
  readonly what: string;
  readonly below?: number;
  readonly above?: number;
}

const LINES: readonly Line[] = [
  { figure: 'startUpMs', what: '`signalbox dev` until it answers, ms', below: 1_000 },
  { figure: 'firstJobMs', what: 'The same until the first job has finished, ms', below: 3_000 },
  { figure: 'idleRssMb', what: 'Idle: memory of node and worker in one process, MB', below: 150 },
  { figure: 'idleCpuPercent', what: 'Idle: processor time, %', below: 1 },
  { figure: 'idleStoreCallsPerSecond', what: 'Idle: calls of the store per second', below: 1 },
  { figure: 'submitToStartP50MsSqlite', what: 'Submit to handler, SQLite, p50, ms', below: 5 },
  { figure: 'submitToStartP99MsSqlite', what: 'Submit to handler, SQLite, p99, ms', below: 20 },
  {
    figure: 'submitToStartP50MsPostgres',
    what: 'Submit to handler, PostgreSQL, p50, ms',
    below: 5,
  },
  {
    figure: 'submitToStartP99MsPostgres',
    what: 'Submit to handler, PostgreSQL, p99, ms',
    below: 20,
  },
  { figure: 'apiSubmitP50Ms', what: 'Submission at 1,000 requests/s mixed, p50, ms', below: 20 },
  { figure: 'apiSubmitP99Ms', what: 'Submission at 1,000 requests/s mixed, p99, ms', below: 100 },
  { figure: 'apiStatusP50Ms', what: 'Status at 1,000 requests/s mixed, p50, ms', below: 10 },
  { figure: 'apiStatusP99Ms', what: 'Status at 1,000 requests/s mixed, p99, ms', below: 50 },
  { figure: 'eventsPerSecond', what: 'Events, one per request, 32 senders, per second', above: 6 },
  { figure: 'eventsPerSecondBatched', what: 'Events in batches of 100, per second', above: 6 },
  {
    figure: 'runView1000TasksLiveP95Ms',
    what: 'A run of 1,000 tasks in one answer, while it runs, p95, ms',
    below: 100,
  },
  {
    figure: 'runView1000TasksEndedP95Ms',
    what: 'A run of 1,000 tasks in one answer, when it has ended, p95, ms',
    below: 100,
  },
  {
    figure: 'watchersRatio',
    what: 'Submissions with 1,000 watchers of a run each, relative to none',
    above: 0.9,
  },
];

const BEGIN = '<!-- edge: begin -->';
const END = '<!-- edge: end -->';

/** Replaces the measured part of docs/performance.md; the words around it stay. */
export function writeReport(figures: Readonly<Record<string, number | string>>): void {
  const path = fileURLToPath(new URL('../../docs/performance.md', import.meta.url));
  const page = readFileSync(path, 'utf8');
  const rows = LINES.flatMap(({ figure, what, below, above }) => {
    const value = figures[figure];
    if (typeof value !== 'number') return [];
    const reached = below === undefined ? value > (above ?? 0) : value < below;
    const target = below === undefined ? `> ${above}` : `< ${below.toLocaleString('en')}`;
    const measured = value.toLocaleString('en');
    return [`| ${what} | ${measured} | ${target} | ${reached ? 'yes' : '**no**'} |`];
  });
  const table = [
    `${figures['date']}, ${figures['hardware']}, Node.js ${figures['node']}.`,
    '',
    '| figure | measured | target | reached |',
    '|---|---|---|---|',
    ...rows,
  ].join('\n');
  const from = page.indexOf(BEGIN) + BEGIN.length;
  const to = page.indexOf(END);
  if (to < from) throw new Error(`${path} has no place for the figures`);
  writeFileSync(path, `${page.slice(0, from)}\n\n${table}\n\n${page.slice(to)}`);
}
