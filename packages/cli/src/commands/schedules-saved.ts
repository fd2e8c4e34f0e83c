import type { Schedule, Submitted } from '@signalbox/protocol';
import type { Command } from 'commander';
import { pathOf } from '../client/path-of.ts';
import { printJson } from '../print/json.ts';
import { printSchedule, SCHEDULE_HEAD, scheduleRow } from '../print/schedule-view.ts';
import { addClientCommand, type Registry } from './define.ts';
import { addNamed, addNamedActions } from './named.ts';
import { addCreate } from './schedules-create.ts';
import { addUpdate } from './schedules-update.ts';

const NAMED = { collection: 'schedules', noun: 'schedule' } as const;

/** Saved schedules: make, list, show, stop and start them, run one by hand. */
export function addSaved(registry: Registry, parent: Command): void {
  addNamed<Schedule>(registry, parent, {
    ...NAMED,
    head: SCHEDULE_HEAD,
    row: scheduleRow,
    print: printSchedule,
    keepsDeleted: true,
    summaries: {
      list: 'list schedules and their next windows',
      show: 'show a schedule and its next windows',
      delete: 'delete a schedule; its runs stay',
    },
    hint: 'signalbox schedules create NAME JOB …',
  });
  addCreate(registry, parent);
  addUpdate(registry, parent);
  addNamedActions(registry, parent, {
    ...NAMED,
    actions: [
      ['pause', 'pause a schedule: it fires no windows until it is resumed', 'paused'],
      ['resume', 'resume a paused schedule', 'resumed'],
    ],
  });
  addClientCommand(registry, parent, {
    usage: 'trigger <schedule>',
    summary: 'start a run now, in addition to the windows of the schedule',
    async run({ api, terminal, args, json }) {
      const submitted = await api.post<Submitted>(`${pathOf('schedules', args[0])}/trigger`);
      if (json) printJson(terminal, submitted);
      else terminal.line(submitted.id);
    },
  });
}
