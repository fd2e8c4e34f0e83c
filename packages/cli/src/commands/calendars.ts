import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Calendar } from '@signalbox/protocol';
import type { Command } from 'commander';
import { printJson } from '../print/json.ts';
import { printFields, printTable } from '../print/table.ts';
import type { Terminal } from '../print/terminal.ts';
import { relative } from '../print/times.ts';
import { UserError } from '../user-error.ts';
import { addClientCommand, addCommand, type Registry } from './define.ts';
import { limitOf, limitOption } from './limit.ts';

const HEAD = ['NAME', 'VERSION', 'CLOSED', 'WEEKDAYS ONLY', 'SAVED'] as const;

const pathOf = (name: string | undefined): string => `/calendars/${encodeURIComponent(name ?? '')}`;

/** Closed days by name, for schedules that keep them. */
export function addCalendars(registry: Registry, program: Command): void {
  const calendars = addCommand(program, 'calendars', {
    summary: 'save days on which schedules are closed, also from .ics files',
    examples: [
      ['signalbox calendars import holidays.ics --name holidays', 'all-day events are closed days'],
      ['signalbox schedules create pay roll --cron "0 9 * * *" --calendar holidays', 'use it'],
    ],
  });
  addList(registry, calendars);
  addImport(registry, calendars);
  addClientCommand(registry, calendars, {
    usage: 'show <calendar>',
    summary: 'show the closed days of a calendar',
    async run({ api, terminal, args, json }) {
      const calendar = await api.get<Calendar>(pathOf(args[0]));
      if (json) printJson(terminal, calendar);
      else await print(terminal, calendar);
      return undefined;
    },
  });
  addClientCommand(registry, calendars, {
    usage: 'delete <calendar>',
    summary: 'delete a calendar; schedules keep the days that they have',
    async run({ api, terminal, args, json }) {
      const deleted = await api.delete<Calendar>(pathOf(args[0]));
      if (json) printJson(terminal, deleted);
      else terminal.line(`${args[0]} is deleted`);
      return undefined;
    },
  });
}

function addList(registry: Registry, parent: Command): void {
  addClientCommand(registry, parent, {
    usage: 'list',
    isDefault: true,
    summary: 'list calendars',
    configure: (command) => limitOption(command, 1_000),
    async run({ api, terminal, options, json }) {
      const found: Calendar[] = [];
      for await (const calendar of api.items<Calendar>('/calendars', {}, limitOf(options))) {
        if (json) printJson(terminal, calendar);
        else found.push(calendar);
      }
      if (json) return undefined;
      const hint = 'no calendars; make one with: signalbox calendars import FILE.ics --name NAME';
      if (found.length === 0) terminal.note(hint);
      else
        printTable(
          terminal,
          HEAD,
          found.map((calendar) => rowOf(terminal, calendar)),
        );
      return undefined;
    },
  });
}

function addImport(registry: Registry, parent: Command): void {
  addClientCommand(registry, parent, {
    usage: 'import <file>',
    summary: 'save the all-day events of an .ics file as closed days',
    configure: (command) => {
      command
        .requiredOption('--name <calendar>', 'what the calendar is called')
        .option('--weekdays-only', 'close Saturdays and Sundays too');
    },
    async run({ app, api, terminal, args, options, json }) {
      const ics = textOf(resolve(app.cwd, args[0] ?? ''));
      const weekdaysOnly = options['weekdaysOnly'] === true;
      const body = { ics, ...(weekdaysOnly ? { weekdaysOnly } : {}) };
      const saved = await api.put<Calendar>(pathOf(String(options['name'])), body);
      if (json) {
        printJson(terminal, saved);
        return undefined;
      }
      await print(terminal, saved);
      const { events = 0, timed = 0 } = saved.imported ?? {};
      const left = timed === 0 ? '' : `; ${timed} with a time of day close nothing`;
      terminal.note(`${events} events${left}`);
      const users = saved.schedules ?? [];
      if (users.length > 0) terminal.note(`saved anew: ${users.join(', ')}`);
      return undefined;
    },
  });
}

function textOf(path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new UserError('usage', `the file cannot be read: ${why}`);
  }
}

function rowOf(terminal: Terminal, { name, version, days, at }: Calendar): string[] {
  const weekdays = days.weekdaysOnly === true ? 'yes' : '';
  const closed = String(days.blackouts?.length ?? 0);
  return [name, String(version), closed, weekdays, relative(at, terminal.now())];
}

async function print(
  terminal: Terminal,
  { name, version, days, author, at }: Calendar,
): Promise<void> {
  printFields(terminal, [
    ['calendar', name],
    ['version', String(version)],
    ['saved', `${relative(at, terminal.now())} by ${author}`],
  ]);
  terminal.line('');
  const { stringify } = await import('yaml');
  terminal.write(stringify(days));
}
