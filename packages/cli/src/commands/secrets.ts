import type { Secret } from '@signalbox/protocol';
import type { Command } from 'commander';
import { pathOf } from '../client/path-of.ts';
import { printJson } from '../print/json.ts';
import type { Terminal } from '../print/terminal.ts';
import { relative } from '../print/times.ts';
import { UserError } from '../user-error.ts';
import { addClientCommand, addCommand, type Registry } from './define.ts';
import { addList } from './list.ts';

const HEAD = ['NAME', 'VERSION', 'CHANGED', 'BY'] as const;

/** Values that definitions refer to by name. */
export function addSecrets(registry: Registry, program: Command): void {
  const secrets = addCommand(program, 'secrets', {
    summary: 'set, list and delete secrets that definitions refer to',
    examples: [
      ['signalbox secrets set api-token < token.txt', 'from a file'],
      ['pass show api | signalbox secrets set api-token', 'from another program'],
    ],
  });
  addList<Secret>(registry, secrets, {
    path: '/secrets',
    summary: 'list secrets, without their values',
    head: HEAD,
    row,
    none: 'no secrets; set one with: signalbox secrets set NAME < FILE',
    limit: 1_000,
  });
  addClientCommand(registry, secrets, {
    usage: 'set <secret>',
    summary: 'store a value, read from standard input; a trailing line break is removed',
    async run({ app, api, terminal, args, json }) {
      if (process.stdin.isTTY) terminal.note('type the value, then press Ctrl-D on a new line');
      const body = { value: textOf(await app.readInput()) };
      const secret = await api.put<Secret>(pathOf('secrets', args[0]), body);
      if (json) printJson(terminal, secret);
      else terminal.line(`${secret.name} has version ${secret.version}`);
    },
  });
  addClientCommand(registry, secrets, {
    usage: 'delete <secret>',
    summary: 'delete a secret; attempts that refer to it fail',
    async run({ api, terminal, args, json }) {
      const secret = await api.delete<Secret>(pathOf('secrets', args[0]));
      if (json) printJson(terminal, secret);
      else terminal.line(`${args[0]} is deleted`);
    },
  });
}

/** Never an argument: the process table and the history of the shell would contain it. */
function textOf(bytes: Uint8Array): string {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new UserError('usage', 'the value is not UTF-8 text');
  }
  const value = text.replace(/\r?\n$/, '');
  if (value !== '') return value;
  throw new UserError('usage', 'standard input is empty', 'signalbox secrets set NAME < FILE');
}

function row(terminal: Terminal, { name, version, author, at }: Secret): string[] {
  return [name, String(version), relative(at, terminal.now()), author];
}
