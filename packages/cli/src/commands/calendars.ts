import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Calendar } from '@signalbox/protocol';
import type { Command } from 'commander';
import { pathOf } from '../client/path-of.ts';
import { printData, printJson } from '../print/json.ts';
import { printFields } from '../print/table.ts';
import type { Terminal } from '../print/terminal.ts';
import { relative } from '../print/times.ts';
import { UserError } from '../user-error.ts';
import { addClientCommand, addCommand, type Registry } from './define.ts';
import { addNamed } from './named.ts';

const HEAD = ['NAME', 'VERSION', 'CLOSED', 'WEEKDAYS ONLY', 'SAVED'] as const;

/** Closed days by name, for schedules that keep them. */
export function addCalendars(registry: Registry, program: Command): void {
  const calendars = addCommand(program, 'calendars', {
    summary: 'create calendars: days on which schedules do not fire, also from .ics files',
    examples: [
      ['signalbox calendars import holidays.ics --name holidays', 'all-day events are closed days'],
      ['signalbox schedules create pay roll --cron "0 9 * * *" --calendar holidays', 'use it'],
    ],
  });
  addNamed<Calendar>(registry, calendars, {
    collection: 'calendars',
    noun: 'calendar',
    head: HEAD,
    row: rowOf,
    print,
    summaries: {
      list: 'list calendars',
      show: 'show the closed days of a calendar',
      delete: 'delete a calendar; schedules keep the days that they have',
    },
    hint: 'signalbox calendars import FILE.ics --name NAME',
  });
  addImport(registry, calendars);
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
      const saved = await api.put<Calendar>(pathOf('calendars', String(options['name'])), body);
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
  printData(terminal, stringify(days));
}
