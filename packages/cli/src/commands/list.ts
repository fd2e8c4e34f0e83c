import type { Command } from 'commander';
import { printJson } from '../print/json.ts';
import { printTable } from '../print/table.ts';
import type { Terminal } from '../print/terminal.ts';
import { addClientCommand, type Registry } from './define.ts';
import { limitOf, limitOption } from './limit.ts';

type Query = Readonly<Record<string, string | boolean | undefined>>;

export interface List<Item> {
  /** As in `/runs`. */
  readonly path: string;
  readonly summary: string;
  readonly head: readonly string[];
  readonly row: (terminal: Terminal, item: Item) => string[];
  /** The message for an empty list. */
  readonly none: string;
  /** The default limit. */
  readonly limit: number;
  readonly configure?: (command: Command) => void;
  readonly query?: (options: Readonly<Record<string, unknown>>) => Query;
}

/** `list`, which is also what its parent does alone: a table for people, a line of JSON for each. */
export function addList<Item>(registry: Registry, parent: Command, list: List<Item>): void {
  addClientCommand(registry, parent, {
    usage: 'list',
    isDefault: true,
    summary: list.summary,
    configure: (command) => {
      list.configure?.(command);
      limitOption(command, list.limit);
    },
    async run({ api, terminal, options, json }) {
      const rows: string[][] = [];
      const query = list.query?.(options) ?? {};
      for await (const item of api.items<Item>(list.path, query, limitOf(options))) {
        if (json) printJson(terminal, item);
        else rows.push(list.row(terminal, item));
      }
      if (rows.length > 0) printTable(terminal, list.head, rows);
      else if (!json) terminal.note(terminal.typed(list.none));
    },
  });
}
