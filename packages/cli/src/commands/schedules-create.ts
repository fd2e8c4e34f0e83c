import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { duration } from '@signalbox/node/settings';
import type { Schedule, ScheduleDefinition } from '@signalbox/protocol';
import { type Command, Option } from 'commander';
import type { App } from '../app.ts';
import { AnsweredError } from '../client/api.ts';
import { readInput } from '../client/read-input.ts';
import { printJson } from '../print/json.ts';
import { printSchedule } from '../print/schedule-view.ts';
import { UserError } from '../user-error.ts';
import { addClientCommand, type Registry } from './define.ts';
import { instantOf } from './instant-option.ts';
import { toCount, within } from './limit.ts';
import { PRIORITY_FLAG, readPriority } from './priority-option.ts';

export type Options = Readonly<Record<string, string | number | undefined>>;

export function addCreate(registry: Registry, parent: Command): void {
  addClientCommand(registry, parent, {
    usage: 'create <schedule> <job>',
    summary: 'create a schedule',
    examples: [
      [
        'signalbox schedules create nightly hello --cron "30 2 * * *" --timezone Europe/Berlin',
        'daily at 02:30',
      ],
      ['signalbox schedules create beat ping --every 5m --overlap skip', 'every five minutes'],
      [
        'signalbox schedules create once ping --run-at 90m --input @order.json',
        'in an hour and a half',
      ],
      ['signalbox schedules create pay roll --cron @daily --calendar holidays', 'on open days'],
    ],
    configure: scheduleOptions,
    async run({ app, api, terminal, args, options, json }) {
      const [name, job = ''] = args;
      requireTimes(options as Options, 1);
      const definition = { job, ...(await fieldsFrom(app, options as Options)) };
      const saved = await api
        .post<Schedule>('/schedules', { name, definition })
        .catch((error: unknown) => {
          throw inOptions(error, job);
        });
      if (json) printJson(terminal, saved);
      else await printSchedule(terminal, saved);
    },
  });
}

/** An option for each field of a schedule, for `create` and `update`. */
export function scheduleOptions(command: Command): void {
  whenOptions(command);
  policyOptions(command);
  command.addHelpText(
    'after',
    '\nAn instant is like 2030-01-31T09:00:00Z, or a time from now like 90m or 7d.',
  );
}

function whenOptions(command: Command): void {
  command
    .option('--cron <expr>', 'cron expression of five or six fields, or @hourly, @daily, …')
    .option('--timezone <name>', 'IANA time zone of --cron, like Europe/Berlin (default: UTC)')
    .addOption(
      choice('--dst-gap <policy>', 'for a time that a clock change skips', ['shift', 'skip']),
    )
    .addOption(
      choice('--dst-overlap <policy>', 'for a time that a clock change repeats', [
        'first',
        'last',
        'both',
      ]),
    )
    .option(
      '--calendar <name>',
      'days on which --cron does not fire: a saved calendar, or @FILE with JSON',
    )
    .option('--every <time>', 'interval, like 90s or 6h')
    .option('--run-at <instant>', 'fire once, at this instant')
    .option('--start-at <instant>', 'no window before this instant')
    .option('--end-at <instant>', 'no window after this instant')
    .option('--max-runs <count>', 'end after this many runs', within('schedule.maxRuns'));
}

function policyOptions(command: Command): void {
  const overlaps = ['allow', 'skip', 'queueOne', 'queueAll', 'replace'];
  command
    .option('--jitter <time>', 'delay each window by a random time up to this; at most 5m')
    .option(
      '--starting-deadline <time>',
      'how late a window may still start before it counts as missed (default: 1m)',
    )
    .option(
      '--catch-up-max-windows <count>',
      'how many missed windows still run; 0 for none',
      toBound,
    )
    .option('--catch-up-max-age <time>', 'skip missed windows older than this (default: 31d)')
    .addOption(
      choice('--catch-up-order <which>', 'which missed windows run if there are more', [
        'newest',
        'oldest',
      ]),
    )
    .addOption(
      choice(
        '--overlap <policy>',
        'what a window does while an earlier run is still open',
        overlaps,
      ),
    )
    .addOption(
      choice('--after-pause <policy>', 'what happens to windows of a pause on resume', [
        'next',
        'catchUp',
      ]),
    )
    .option(
      PRIORITY_FLAG,
      'priority of its runs: P0, P1, P2 or 1 to 10 (default: that of the job)',
      readPriority,
    )
    .option('--input <input>', 'input of every run: JSON, text, @FILE, or - for standard input');
}

function choice(flags: string, description: string, choices: readonly string[]): Option {
  return new Option(flags, description).choices(choices);
}

/** A new schedule names one kind of time; a changed one at most one. */
export function requireTimes({ cron, every, runAt }: Options, countMin: 0 | 1): void {
  const count = [cron, every, runAt].filter((each) => each !== undefined).length;
  if (count >= countMin && count <= 1) return;
  const hint = 'signalbox schedules create --help shows examples';
  throw new UserError('usage', 'a schedule has one of --cron, --every and --run-at', hint);
}

/** The fields of the definition that the options set. */
export async function fieldsFrom(app: App, options: Options): Promise<Partial<ScheduleDefinition>> {
  const { cron, every } = options;
  const now = Date.now();
  const fields: Record<string, unknown> = {
    cron,
    timezone: options['timezone'],
    dstGap: options['dstGap'],
    dstOverlap: options['dstOverlap'],
    calendar: calendarOf(app, options['calendar']),
    every: timeOf('--every', every),
    runAt: instantOf('--run-at', options['runAt'], now),
    startAt: instantOf('--start-at', options['startAt'], now),
    endAt: instantOf('--end-at', options['endAt'], now),
    maxRuns: options['maxRuns'],
    jitter: timeOf('--jitter', options['jitter']),
    startingDeadline: timeOf('--starting-deadline', options['startingDeadline']),
    catchUp: catchUpOf(options),
    overlap: options['overlap'],
    afterPause: options['afterPause'],
    priority: options['priority'],
    input: await inputOf(app, options['input']),
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function catchUpOf(options: Options): ScheduleDefinition['catchUp'] {
  const maxWindows = options['catchUpMaxWindows'] as number | undefined;
  const maxAge = timeOf('--catch-up-max-age', options['catchUpMaxAge']);
  const order = options['catchUpOrder'] as 'newest' | 'oldest' | undefined;
  if (maxWindows === undefined && maxAge === undefined && order === undefined) return undefined;
  return {
    ...(maxWindows === undefined ? {} : { maxWindows }),
    ...(maxAge === undefined ? {} : { maxAge }),
    ...(order === undefined ? {} : { order }),
  };
}

function calendarOf(app: App, option: string | number | undefined): unknown {
  if (option === undefined) return undefined;
  const text = String(option);
  if (!text.startsWith('@')) return text;
  try {
    return JSON.parse(readFileSync(resolve(app.cwd, text.slice(1)), 'utf8'));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new UserError('usage', `the file of --calendar cannot be read: ${why}`);
  }
}

async function inputOf(app: App, option: string | number | undefined): Promise<unknown> {
  if (option === undefined) return undefined;
  const input = await readInput(app, String(option));
  if (!(input instanceof Uint8Array)) return input;
  throw new UserError(
    'usage',
    '--input is neither JSON nor text',
    'binary data must be stored as a blob',
  );
}

function timeOf(flag: string, option: string | number | undefined): number | undefined {
  if (option === undefined) return undefined;
  const ms = duration.read(option);
  if (typeof ms === 'number') return ms;
  throw new UserError('usage', `${flag} ${JSON.stringify(option)} is not ${duration.words}`);
}

function toBound(text: string): number {
  return text === '0' ? 0 : toCount(text);
}

/** The fields of the API as the options that set them, and what helps where one is refused. */
const OPTIONS: Readonly<Record<string, readonly [option: string, hint?: string]>> = {
  job: ['JOB', 'to list them: signalbox jobs'],
  cron: ['--cron', 'try it: signalbox schedules preview "EXPR"; see docs/cron.md'],
  timezone: ['--timezone', 'an IANA name like Europe/Berlin'],
  every: ['--every', 'a second at least'],
  anchorAt: ['--every'],
  runAt: ['--run-at'],
  startAt: ['--start-at'],
  endAt: ['--end-at'],
  maxRuns: ['--max-runs'],
  jitter: ['--jitter', 'at most 5m'],
  startingDeadline: ['--starting-deadline', 'at most 1d'],
  'catchUp.maxWindows': ['--catch-up-max-windows', 'at most 1000'],
  'catchUp.maxAge': ['--catch-up-max-age', 'at most 395d'],
  'catchUp.order': ['--catch-up-order'],
  dstGap: ['--dst-gap', 'only with --cron'],
  dstOverlap: ['--dst-overlap', 'only with --cron'],
  calendar: ['--calendar', 'only with --cron; to list them: signalbox calendars'],
  overlap: ['--overlap'],
  afterPause: ['--after-pause'],
  priority: ['--priority'],
  input: ['--input'],
};

/** An error of the API with the option in place of the field. */
export function inOptions(error: unknown, job: string): unknown {
  if (!(error instanceof AnsweredError)) return error;
  if (error.code === 'not_found') {
    return new UserError(error.exit, `there is no job ${JSON.stringify(job)}`, OPTIONS['job']?.[1]);
  }
  const field = error.field?.replace(/^definition\./, '') ?? '';
  const match = OPTIONS[field] ?? OPTIONS[field.split('.')[0] ?? ''];
  if (match === undefined) return error;
  const [option, hint] = match;
  return new UserError(error.exit, `${option}: ${error.reason}`, hint);
}
