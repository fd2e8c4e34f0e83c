import type { Command } from 'commander';
import { printJson } from '../print/json.ts';
import { printTable } from '../print/table.ts';
import type { Terminal } from '../print/terminal.ts';
import { addClientCommand, type Registry } from './define.ts';
import { limitOf, limitOption } from './limit.ts';

/** What is saved by name, and how it is shown. */
export interface NamedThing<Item> {
  /** As in `/schedules`. */
  readonly collection: string;
  readonly noun: string;
  readonly head: readonly string[];
  readonly row: (terminal: Terminal, item: Item) => string[];
  readonly print: (terminal: Terminal, item: Item) => void | Promise<void>;
  /** The deleted ones can be listed too. */
  readonly keepsDeleted: boolean;
  readonly summaries: { readonly list: string; readonly show: string; readonly delete: string };
  /** How to make the first one. */
  readonly hint: string;
}

export function pathOf(collection: string, name: string | undefined): string {
  return `/${collection}/${encodeURIComponent(name ?? '')}`;
}

/** `list`, `show` and `delete`. */
export function addNamed<Item>(
  registry: Registry,
  parent: Command,
  thing: NamedThing<Item>,
): void {
  const { collection, noun, summaries } = thing;
  addList(registry, parent, thing);
  addClientCommand(registry, parent, {
    usage: `show <${noun}>`,
    summary: summaries.show,
    async run({ api, terminal, args, json }) {
      const item = await api.get<Item>(pathOf(collection, args[0]));
      if (json) printJson(terminal, item);
      else await thing.print(terminal, item);
      return undefined;
    },
  });
  addClientCommand(registry, parent, {
    usage: `delete <${noun}>`,
    summary: summaries.delete,
    async run({ api, terminal, args, json }) {
      const item = await api.delete<Item>(pathOf(collection, args[0]));
      if (json) printJson(terminal, item);
      else terminal.line(`${args[0]} is deleted`);
      return undefined;
    },
  });
}

function addList<Item>(registry: Registry, parent: Command, thing: NamedThing<Item>): void {
  const { collection } = thing;
  addClientCommand(registry, parent, {
    usage: 'list',
    isDefault: true,
    summary: thing.summaries.list,
    configure: (command) => {
      if (thing.keepsDeleted) command.option('--deleted', 'those that were deleted too');
      limitOption(command, 1_000);
    },
    async run({ api, terminal, options, json }) {
      const query = options['deleted'] === true ? { deleted: true } : {};
      const rows: string[][] = [];
      for await (const item of api.items<Item>(`/${collection}`, query, limitOf(options))) {
        if (json) printJson(terminal, item);
        else rows.push(thing.row(terminal, item));
      }
      if (json) return undefined;
      if (rows.length > 0) printTable(terminal, thing.head, rows);
      else terminal.note(`no ${collection}; make one with: ${thing.hint}`);
      return undefined;
    },
  });
}
