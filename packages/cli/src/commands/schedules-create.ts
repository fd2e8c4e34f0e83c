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
      ['signalbox schedules create nightly hello --cron "30 2 * * *" --tz Europe/Berlin', 'daily'],
      ['signalbox schedules create beat ping --every 5m --overlap skip', 'every five minutes'],
      [
        'signalbox schedules create once ping --at 90m --input @order.json',
        'in an hour and a half',
      ],
      ['signalbox schedules create pay roll --cron @daily --calendar holidays', 'on open days'],
    ],
    configure: scheduleOptions,
    async run({ app, api, terminal, args, options, json }) {
      const [name, job = ''] = args;
      requireTimes(options as Options, 1);
      const definition = { job, ...(await givenBy(app, options as Options)) };
      const saved = await api
        .post<Schedule>('/schedules', { name, definition })
        .catch((error: unknown) => {
          throw inOptions(error, job);
        });
      if (json) printJson(terminal, saved);
      else await printSchedule(terminal, saved);
      return undefined;
    },
  });
}

/** Everything that a schedule can be told, for `create` and `update`. */
export function scheduleOptions(command: Command): void {
  whenOptions(command);
  policyOptions(command);
  command.addHelpText(
    'after',
    '\nINSTANT is like 2030-01-31T09:00:00Z, or a time from now like 90m or 7d.',
  );
}

function whenOptions(command: Command): void {
  command
    .option('--cron <expr>', 'five or six fields, or @daily and the like')
    .option('--tz <zone>', 'IANA name of the time zone of --cron; UTC unless told')
    .addOption(choice('--dst-gap <policy>', 'times that the clocks jump over', ['shift', 'skip']))
    .addOption(choice('--dst-overlap <policy>', 'times that come twice', ['first', 'last', 'both']))
    .option('--calendar <name>', 'closed days of --cron: a saved calendar, or @FILE of JSON')
    .option('--every <time>', 'every so often, like 90s or 6h')
    .option('--at <instant>', 'once')
    .option('--start <instant>', 'no window before this')
    .option('--until <instant>', 'no window after this')
    .option('--max-runs <count>', 'ends after so many', within('schedule.maxRuns'));
}

function policyOptions(command: Command): void {
  const overlaps = ['allow', 'skip', 'queueOne', 'queueAll', 'replace'];
  command
    .option('--jitter <time>', 'spread starts over this much, at most 5m')
    .option(
      '--starting-deadline <time>',
      'a window that starts later than this was missed; 1m unless told',
    )
    .option('--catch-up <count>', 'missed windows that still run; 0 for none', toBound)
    .option('--catch-up-age <time>', 'older ones do not run; 31d unless told')
    .addOption(choice('--catch-up-order <which>', 'of more than that', ['newest', 'oldest']))
    .addOption(choice('--overlap <policy>', 'while a run of it is live', overlaps))
    .addOption(choice('--after-pause <policy>', 'windows of a pause', ['next', 'catchUp']))
    .option(
      PRIORITY_FLAG,
      'of its runs: P0, P1, P2 or 1 to 10; the job says otherwise',
      readPriority,
    )
    .option('--input <input>', 'what every run gets: JSON, a text, @FILE or - for standard input');
}

function choice(flags: string, description: string, choices: readonly string[]): Option {
  return new Option(flags, description).choices(choices);
}

/** A new schedule names one kind of time; a changed one at most one. */
export function requireTimes({ cron, every, at }: Options, countMin: 0 | 1): void {
  const count = [cron, every, at].filter((each) => each !== undefined).length;
  if (count >= countMin && count <= 1) return;
  const hint = 'for examples: signalbox schedules create --help';
  throw new UserError('usage', 'a schedule needs exactly one of --cron, --every and --at', hint);
}

/** The fields of the definition that the options set. */
export async function givenBy(app: App, options: Options): Promise<Partial<ScheduleDefinition>> {
  const { cron, every, at } = options;
  const now = Date.now();
  const given: Record<string, unknown> = {
    cron,
    zone: options['tz'],
    dstGap: options['dstGap'],
    dstOverlap: options['dstOverlap'],
    calendar: calendarOf(app, options['calendar']),
    every: timeOf('--every', every),
    runAt: instantOf('--at', at, now),
    startAt: instantOf('--start', options['start'], now),
    endAt: instantOf('--until', options['until'], now),
    maxRuns: options['maxRuns'],
    jitter: timeOf('--jitter', options['jitter']),
    startingDeadline: timeOf('--starting-deadline', options['startingDeadline']),
    catchUp: catchUpOf(options),
    overlap: options['overlap'],
    afterPause: options['afterPause'],
    priority: options['priority'],
    input: await inputOf(app, options['input']),
  };
  const said = Object.entries(given).filter(([, value]) => value !== undefined);
  return Object.fromEntries(said);
}

function catchUpOf(options: Options): ScheduleDefinition['catchUp'] {
  const maxWindows = options['catchUp'] as number | undefined;
  const maxAge = timeOf('--catch-up-age', options['catchUpAge']);
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
  zone: ['--tz', 'an IANA name like Europe/Berlin'],
  every: ['--every', 'a second at least'],
  anchorAt: ['--every'],
  runAt: ['--at'],
  startAt: ['--start'],
  endAt: ['--until'],
  maxRuns: ['--max-runs'],
  jitter: ['--jitter', 'at most 5m'],
  startingDeadline: ['--starting-deadline', 'at most 1d'],
  'catchUp.maxWindows': ['--catch-up', 'at most 1000'],
  'catchUp.maxAge': ['--catch-up-age', 'at most 395d'],
  'catchUp.order': ['--catch-up-order'],
  dstGap: ['--dst-gap', 'only with --cron'],
  dstOverlap: ['--dst-overlap', 'only with --cron'],
  calendar: ['--calendar', 'only with --cron; to list them: signalbox calendars'],
  overlap: ['--overlap'],
  afterPause: ['--after-pause'],
  priority: ['--priority'],
  input: ['--input'],
};

/** A refusal in the words of the person who typed it. */
export function inOptions(error: unknown, job: string): unknown {
  if (!(error instanceof AnsweredError)) return error;
  if (error.code === 'not_found') {
    return new UserError(error.exit, `there is no job ${JSON.stringify(job)}`, OPTIONS['job']?.[1]);
  }
  const field = error.field?.replace(/^definition\./, '') ?? '';
  const known = OPTIONS[field] ?? OPTIONS[field.split('.')[0] ?? ''];
  if (known === undefined) return error;
  const [option, hint] = known;
  return new UserError(error.exit, `${option}: ${error.reason}`, hint);
}
