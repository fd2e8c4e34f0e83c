import type { Command } from 'commander';
import { pathOf } from '../client/path-of.ts';
import { printJson } from '../print/json.ts';
import type { Terminal } from '../print/terminal.ts';
import { addClientCommand, type Registry } from './define.ts';
import { addList } from './list.ts';

/** What is saved by name, and how it is shown. */
export interface NamedThing<Item> {
  /** As in `/schedules`. */
  readonly collection: string;
  readonly noun: string;
  readonly head: readonly string[];
  readonly row: (terminal: Terminal, item: Item) => string[];
  readonly print: (terminal: Terminal, item: Item) => void | Promise<void>;
  /** The deleted ones can be listed too. */
  readonly keepsDeleted?: boolean;
  /** Older versions can be shown too. */
  readonly keepsVersions?: boolean;
  readonly summaries: { readonly list: string; readonly show: string; readonly delete: string };
  /** How to make the first one. */
  readonly hint: string;
}

/** `pause`, its summary, and the message afterwards. */
export type NamedAction = readonly [action: string, summary: string, done: string];

/** `list`, `show` and `delete`. */
export function addNamed<Item>(registry: Registry, parent: Command, thing: NamedThing<Item>): void {
  const { collection, noun, summaries } = thing;
  addList<Item>(registry, parent, {
    path: `/${collection}`,
    summary: summaries.list,
    head: thing.head,
    row: thing.row,
    none: `no ${collection}; make one with: ${thing.hint}`,
    limit: 1_000,
    configure: (command) => {
      if (thing.keepsDeleted) command.option('--deleted', 'those that were deleted too');
    },
    query: ({ deleted }) => (deleted === true ? { deleted } : {}),
  });
  addShow(registry, parent, thing);
  addClientCommand(registry, parent, {
    usage: `delete <${noun}>`,
    summary: summaries.delete,
    async run({ api, terminal, args, json }) {
      const item = await api.delete<Item>(pathOf(collection, args[0]));
      if (json) printJson(terminal, item);
      else terminal.line(`${args[0]} is deleted`);
    },
  });
}

function addShow<Item>(registry: Registry, parent: Command, thing: NamedThing<Item>): void {
  addClientCommand(registry, parent, {
    usage: `show <${thing.noun}>`,
    summary: thing.summaries.show,
    configure: (command) => {
      if (thing.keepsVersions) command.option('--version <number>', 'as it was in this version');
    },
    async run({ api, terminal, args, options, json }) {
      const { version } = options as { version?: string };
      const at = version === undefined ? '' : `/versions/${encodeURIComponent(version)}`;
      const item = await api.get<Item>(`${pathOf(thing.collection, args[0])}${at}`);
      if (json) printJson(terminal, item);
      else await thing.print(terminal, item);
    },
  });
}

/** What is done to one of them by a word alone, like `pause`. */
export function addNamedActions(
  registry: Registry,
  parent: Command,
  {
    collection,
    noun,
    actions,
  }: {
    collection: string;
    noun: string;
    actions: readonly NamedAction[];
  },
): void {
  for (const [action, summary, done] of actions) {
    addClientCommand(registry, parent, {
      usage: `${action} <${noun}>`,
      summary,
      async run({ api, terminal, args, json }) {
        const changed = await api.post<unknown>(`${pathOf(collection, args[0])}/${action}`);
        if (json) printJson(terminal, changed);
        else terminal.line(`${args[0]} is ${done}`);
      },
    });
  }
}
