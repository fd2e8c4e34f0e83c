import {
  parseDuration,
  type Schedule,
  type ScheduleDefinition,
  type TimelineEntry,
} from '@signalbox/protocol';
import { printData } from './json.ts';
import { printFields } from './table.ts';
import type { Terminal } from './terminal.ts';
import { relative, span } from './times.ts';

export const SCHEDULE_HEAD = ['NAME', 'JOB', 'STATE', 'WHEN', 'NEXT', 'VERSION'] as const;

export function scheduleRow(terminal: Terminal, schedule: Schedule): string[] {
  const { name, state, definition, next, version } = schedule;
  return [
    name,
    definition.job,
    state === 'active' ? state : terminal.paint.yellow(state),
    whenOf(definition),
    next === null ? '' : `${next} (${relative(next, terminal.now())})`,
    String(version),
  ];
}

function whenOf({ cron, timezone, every, runAt }: ScheduleDefinition): string {
  if (cron !== undefined)
    return timezone === undefined || timezone === 'UTC' ? cron : `${cron} ${timezone}`;
  return every === undefined ? `once at ${runAt}` : `every ${span(parseDuration(every))}`;
}

export async function printSchedule(terminal: Terminal, schedule: Schedule): Promise<void> {
  const { change, next } = schedule;
  printFields(terminal, [
    ['schedule', schedule.name],
    ['version', String(schedule.version)],
    ['state', schedule.state],
    ['next', next === null ? 'none' : `${next}, ${relative(next, terminal.now())}`],
    ['saved', `${relative(schedule.at, terminal.now())} by ${schedule.author}`],
    ...(change === undefined
      ? []
      : ([
          ['changed', change.fields.join(', ')],
          ['effective from', change.from],
          ['next before', change.nextBefore.join(', ')],
          ['next now', change.nextAfter.join(', ')],
        ] as const)),
  ]);
  terminal.line('');
  const { stringify } = await import('yaml');
  printData(terminal, stringify(schedule.definition));
}

export const TIMELINE_HEAD = ['WINDOW', 'STATE', 'LATE', 'RUN', 'REASON'] as const;

export function timelineRow(entry: TimelineEntry): string[] {
  const { window, until, state, lateMs, run, reason, count } = entry;
  const many = count === undefined ? 'many' : String(count);
  return [
    until === undefined ? window : `${window} … ${until} (${many})`,
    state,
    lateMs === undefined ? '' : span(lateMs),
    run ?? '',
    reason ?? '',
  ];
}
