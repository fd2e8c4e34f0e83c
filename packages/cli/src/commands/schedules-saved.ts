import { duration } from '@signalbox/node/settings';
import type { Schedule, ScheduleDefinition, Submitted } from '@signalbox/protocol';
import { type Command, Option } from 'commander';
import { printJson } from '../print/json.ts';
import { printSchedule, SCHEDULE_HEAD, scheduleRow } from '../print/schedule-view.ts';
import { printTable } from '../print/table.ts';
import { UserError } from '../user-error.ts';
import { addClientCommand, type Registry } from './define.ts';
import { limitOf, limitOption, toCount } from './limit.ts';

export const schedulePath = (name: string | undefined): string =>
  `/schedules/${encodeURIComponent(name ?? '')}`;

/** Saved schedules: make, list, show, stop and start them, run one by hand. */
export function addSaved(registry: Registry, parent: Command): void {
  addClientCommand(registry, parent, {
    usage: 'list',
    isDefault: true,
    summary: 'list schedules and their next windows',
    configure: (command) => {
      command.option('--deleted', 'those that were deleted too');
      limitOption(command, 1_000);
    },
    async run({ api, terminal, options, json }) {
      const query = options['deleted'] === true ? { deleted: true } : {};
      const found: Schedule[] = [];
      for await (const schedule of api.items<Schedule>('/schedules', query, limitOf(options))) {
        if (json) printJson(terminal, schedule);
        else found.push(schedule);
      }
      if (json) return undefined;
      const rows = found.map((schedule) => scheduleRow(terminal, schedule));
      if (rows.length > 0) printTable(terminal, SCHEDULE_HEAD, rows);
      else terminal.note('no schedules; make one with: signalbox schedules create NAME JOB …');
      return undefined;
    },
  });
  addCreate(registry, parent);
  addClientCommand(registry, parent, {
    usage: 'show <schedule>',
    summary: 'show a schedule and when it is due next',
    async run({ api, terminal, args, json }) {
      const schedule = await api.get<Schedule>(schedulePath(args[0]));
      if (json) printJson(terminal, schedule);
      else await printSchedule(terminal, schedule);
      return undefined;
    },
  });
  addChanges(registry, parent);
  addClientCommand(registry, parent, {
    usage: 'trigger <schedule>',
    summary: 'run its job now, by hand; no window is used up',
    async run({ api, terminal, args, json }) {
      const submitted = await api.post<Submitted>(`${schedulePath(args[0])}/trigger`);
      if (json) printJson(terminal, submitted);
      else terminal.line(submitted.id);
      return undefined;
    },
  });
}

function addCreate(registry: Registry, parent: Command): void {
  addClientCommand(registry, parent, {
    usage: 'create <schedule> <job>',
    summary: 'save a schedule, or change it',
    examples: [
      ['signalbox schedules create nightly hello --cron "30 2 * * *" --tz Europe/Berlin', 'daily'],
      ['signalbox schedules create beat ping --every 5m --overlap skip', 'every five minutes'],
    ],
    configure: (command) => {
      command
        .option('--cron <expr>', 'five or six fields, or @daily and the like')
        .option('--tz <zone>', 'IANA name of the time zone of --cron; UTC unless told')
        .option('--every <time>', 'every so often, like 90s or 6h')
        .option('--at <instant>', 'once, like 2030-01-31T09:00:00Z')
        .option('--jitter <time>', 'spread starts over this much, at most 5m')
        .option('--catch-up <count>', 'missed windows that still run; 0 for none', toBound)
        .addOption(
          new Option('--overlap <policy>', 'while a run of it is live').choices([
            ...['allow', 'skip', 'queueOne', 'queueAll', 'replace'],
          ]),
        )
        .option('--until <instant>', 'no window after this')
        .option('--runs <count>', 'ends after so many', toCount)
        .option('--input <json>', 'what every run gets as its input');
    },
    async run({ api, terminal, args, options, json }) {
      const [name, job = ''] = args;
      const definition = definitionOf(job, options as Record<string, string | undefined>);
      const saved = await api.put<Schedule>(schedulePath(name), definition);
      if (json) printJson(terminal, saved);
      else await printSchedule(terminal, saved);
      return undefined;
    },
  });
}

function definitionOf(
  job: string,
  options: Record<string, string | number | undefined>,
): ScheduleDefinition {
  const { cron, tz, every, at, jitter, catchUp, overlap, until, runs, input } = options;
  return {
    job,
    ...(cron === undefined ? {} : { cron: String(cron) }),
    ...(tz === undefined ? {} : { zone: String(tz) }),
    ...(every === undefined ? {} : { everyMs: timeOf('--every', every) }),
    ...(at === undefined ? {} : { runAt: String(at) }),
    ...(jitter === undefined ? {} : { jitterMs: timeOf('--jitter', jitter) }),
    ...(catchUp === undefined ? {} : { catchUp: { windowsMax: Number(catchUp) } }),
    ...(overlap === undefined
      ? {}
      : { overlap: overlap as ScheduleDefinition['overlap'] & string }),
    ...(until === undefined ? {} : { endAt: String(until) }),
    ...(runs === undefined ? {} : { runsMax: Number(runs) }),
    ...(input === undefined ? {} : { input: jsonOf(String(input)) }),
  };
}

function timeOf(flag: string, option: string | number): number {
  const ms = duration.read(option);
  if (typeof ms === 'number') return ms;
  throw new UserError('usage', `${flag} ${JSON.stringify(option)} is not ${duration.words}`);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UserError('usage', '--input is not JSON');
  }
}

function toBound(text: string): number {
  return text === '0' ? 0 : toCount(text);
}

function addChanges(registry: Registry, parent: Command): void {
  const changes = [
    ['pause', 'fire nothing until it is resumed', 'paused'],
    ['resume', 'fire again', 'resumed'],
    ['delete', 'delete a schedule; its runs stay', 'deleted'],
  ] as const;
  for (const [action, summary, done] of changes) {
    addClientCommand(registry, parent, {
      usage: `${action} <schedule>`,
      summary,
      async run({ api, terminal, args, json }) {
        const path = schedulePath(args[0]);
        const changed =
          action === 'delete'
            ? await api.delete<Schedule>(path)
            : await api.post<Schedule>(`${path}/${action}`);
        if (json) printJson(terminal, changed);
        else terminal.line(`${args[0]} is ${done}`);
        return undefined;
      },
    });
  }
}
