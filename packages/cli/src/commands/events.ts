import { randomUUID } from 'node:crypto';
import type { CloudEvent, ReceivedEvent, ReceivedEvents } from '@signalbox/protocol';
import type { Command } from 'commander';
import { readInput } from '../client/read-input.ts';
import { printJson } from '../print/json.ts';
import { printTable } from '../print/table.ts';
import type { Terminal } from '../print/terminal.ts';
import { UserError } from '../user-error.ts';
import { addClientCommand, addCommand, type Registry } from './define.ts';

export function addEvents(registry: Registry, program: Command): void {
  const events = addCommand(program, 'events', {
    summary: 'send events that start runs, and that runs wait for',
    examples: [
      ['signalbox events send order.paid \'{"order":7}\' --source /shop', 'one event'],
      ['signalbox events send @event.json', 'a CloudEvent, or a list of them, from a file'],
    ],
  });
  addClientCommand(registry, events, {
    usage: 'send <type> [data]',
    summary: 'send an event and see what it started',
    configure: (command) => {
      command
        .option('--source <source>', 'where it happened (default: cli)')
        .option(
          '--id <id>',
          'id of the event; the same source and id are the same event (default: a new id)',
        )
        .option('--subject <subject>', 'what it is about')
        .addHelpText(
          'after',
          '\nTYPE is the type of the event and DATA its data, JSON or text, `-` or `@FILE`. `@FILE` in\n' +
            'place of TYPE names a CloudEvent in JSON, or a list of them.',
        );
    },
    async run({ api, app, terminal, args, options, json }) {
      const [type = '', data] = args;
      const { source, id, subject } = options as Record<string, string | undefined>;
      const event =
        type.startsWith('@') || type === '-'
          ? await readInput(app, type)
          : ({
              specversion: '1.0',
              type,
              source: source ?? 'cli',
              id: id ?? randomUUID(),
              ...(subject === undefined ? {} : { subject }),
              ...(data === undefined ? {} : { data: textual(await readInput(app, data)) }),
            } satisfies CloudEvent);
      const batch = Array.isArray(event) ? '-batch' : '';
      const headers = { 'content-type': `application/cloudevents${batch}+json` };
      const received = await api.post<ReceivedEvents>('/events', event, headers);
      if (json) printJson(terminal, received);
      else printReceived(terminal, received.events);
    },
  });
}

export function textual(data: unknown): unknown {
  if (data instanceof Uint8Array) throw new UserError('usage', 'the data is neither JSON nor text');
  return data;
}

function printReceived(terminal: Terminal, events: readonly ReceivedEvent[]): void {
  const rows: string[][] = [];
  for (const { id, runs, passed, hasSubscribers } of events) {
    for (const { trigger, outcome, run = '', reason = '' } of runs) {
      rows.push([id, trigger, outcome, run, reason]);
    }
    for (const { trigger, reason } of passed) rows.push([id, trigger, 'not matched', '', reason]);
    if (runs.length + passed.length === 0) {
      const rest = hasSubscribers
        ? '; tasks that wait for it are told'
        : ', and no job waits for its type';
      terminal.note(`${id}: no trigger listens to its source and type${rest}`);
    }
  }
  if (rows.length > 0) printTable(terminal, ['EVENT', 'TRIGGER', 'OUTCOME', 'RUN', 'REASON'], rows);
}
