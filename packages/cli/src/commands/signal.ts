import type { RunView } from '@signalbox/protocol';
import type { Command } from 'commander';
import { findTask } from '../client/find-run.ts';
import { readInput } from '../client/read-input.ts';
import { printJson } from '../print/json.ts';
import { addClientCommand, type Registry } from './define.ts';
import { textual } from './events.ts';

/** Delivers the event that a task waits for. */
export function addSignal(registry: Registry, program: Command): void {
  addClientCommand(registry, program, {
    usage: 'signal <task> [event]',
    summary: 'continue a task that waits for an event, whatever its filter',
    examples: [['signalbox signal last:paid \'{"data":{"ok":true}}\'', 'with what it gives on']],
    configure: (command) => {
      command.addHelpText(
        'after',
        '\nEVENT becomes the output of the task: JSON or text, `-` or `@FILE`; null by default.',
      );
    },
    async run({ api, app, terminal, args, json }) {
      const id = await findTask(api, args[0] ?? '');
      const at = id.indexOf(':');
      const path = `/runs/${id.slice(0, at)}/tasks/${encodeURIComponent(id.slice(at + 1))}`;
      const event = args[1] === undefined ? null : textual(await readInput(app, args[1]));
      const run = await api.post<RunView>(`${path}/event`, { event });
      if (json) printJson(terminal, run);
      else terminal.line(`${id.slice(at + 1)} waits no more`);
    },
  });
}
