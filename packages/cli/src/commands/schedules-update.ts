import type { Schedule, ScheduleDefinition } from '@signalbox/protocol';
import type { Command } from 'commander';
import { pathOf } from '../client/path-of.ts';
import { printJson } from '../print/json.ts';
import { printSchedule } from '../print/schedule-view.ts';
import { UserError } from '../user-error.ts';
import { addClientCommand, type Registry } from './define.ts';
import {
  fieldsFrom,
  inOptions,
  type Options,
  requireTimes,
  scheduleOptions,
} from './schedules-create.ts';

export function addUpdate(registry: Registry, parent: Command): void {
  addClientCommand(registry, parent, {
    usage: 'update <schedule>',
    summary: 'change the given fields of a schedule',
    examples: [
      ['signalbox schedules update nightly --cron "0 4 * * *"', 'other windows from now on'],
      [
        'signalbox schedules update nightly --overlap skip --catch-up-max-windows 0',
        'other policies',
      ],
    ],
    configure: scheduleOptions,
    async run({ app, api, terminal, args, options, json }) {
      requireTimes(options as Options, 0);
      const path = pathOf('schedules', args[0]);
      const { version, state, definition } = await api.get<Schedule>(path);
      if (state === 'deleted') {
        const hint = 'create it again with: signalbox schedules create';
        throw new UserError('notFound', `the schedule ${JSON.stringify(args[0])} is deleted`, hint);
      }
      const wanted = changed(definition, await fieldsFrom(app, options as Options));
      const seen = { 'if-match': `"${version}"` };
      const saved = await api.put<Schedule>(path, wanted, seen).catch((error: unknown) => {
        throw inOptions(error, definition.job);
      });
      if (json) printJson(terminal, saved);
      else await printSchedule(terminal, saved);
    },
  });
}

/** The fields that belong to each kind of time: another kind takes their place. */
const TIMES = {
  cron: ['cron', 'timezone', 'dstGap', 'dstOverlap', 'calendar'],
  every: ['every', 'anchorAt'],
  runAt: ['runAt'],
} as const;

function changed(
  before: ScheduleDefinition,
  given: Partial<ScheduleDefinition>,
): ScheduleDefinition {
  const after = { ...before };
  const kinds = Object.keys(TIMES) as (keyof typeof TIMES)[];
  const kind = kinds.find((each) => given[each] !== undefined);
  for (const other of kind === undefined ? [] : kinds) {
    if (other !== kind) for (const field of TIMES[other]) delete after[field];
  }
  // One number of the catch-up policy leaves the others as they are.
  const catchUp = { ...before.catchUp, ...given.catchUp };
  return { ...after, ...given, ...(Object.keys(catchUp).length === 0 ? {} : { catchUp }) };
}
