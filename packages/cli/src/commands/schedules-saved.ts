import type { Schedule, Submitted } from '@signalbox/protocol';
import type { Command } from 'commander';
import { printJson } from '../print/json.ts';
import { printSchedule, SCHEDULE_HEAD, scheduleRow } from '../print/schedule-view.ts';
import { printTable } from '../print/table.ts';
import { addClientCommand, type Registry } from './define.ts';
import { limitOf, limitOption } from './limit.ts';
import { schedulePath } from './schedule-path.ts';
import { addCreate } from './schedules-create.ts';

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
