import type { Key } from '@signalbox/protocol';
import { type Command, Option } from 'commander';
import { pathOf } from '../client/path-of.ts';
import { printJson } from '../print/json.ts';
import type { Terminal } from '../print/terminal.ts';
import { relative } from '../print/times.ts';
import { addClientCommand, addCommand, type Registry } from './define.ts';
import { instantOf } from './instant-option.ts';
import { addList } from './list.ts';

const HEAD = ['ID', 'TENANT', 'ROLE', 'STATUS', 'CREATED', 'EXPIRES', 'NOTE'] as const;
// Written out: the list in the protocol brings all schemas with it, which every command would load.
const ROLES = ['viewer', 'submitter', 'operator', 'admin', 'worker'];

export function addKeys(registry: Registry, program: Command): void {
  const keys = addCommand(program, 'keys', {
    summary: 'list, create and revoke keys',
    examples: [
      ['signalbox keys create --role submitter --note "web shop"', 'a key of the tenant'],
      ['signalbox keys create --role worker', 'a key for workers'],
      ['signalbox keys revoke 0123456789abcdef', 'by its id'],
    ],
  });
  addList<Key>(registry, keys, {
    path: '/keys',
    summary: 'list keys, without their secrets',
    head: HEAD,
    row,
    none: 'no keys yet, except the root key of the settings',
    limit: 100,
  });
  addClientCommand(registry, keys, {
    usage: 'create',
    summary: 'create a key; its secret is shown once',
    configure: (command) => {
      command
        .addOption(
          new Option('--role <role>', 'what it may do').choices(ROLES).makeOptionMandatory(),
        )
        .option('--note <text>', 'what it is for')
        .option(
          '--expires-at <instant>',
          'when it expires: an instant, or a time from now like 30d',
        );
    },
    async run({ api, terminal, options, json }) {
      const { role, note } = options as { role: string; note?: string };
      const expires = options['expiresAt'] as string | undefined;
      const expiresAt = instantOf('--expires-at', expires, terminal.now());
      const key = await api.post<Key>('/keys', {
        role,
        ...(note === undefined ? {} : { note }),
        ...(expiresAt === undefined ? {} : { expiresAt }),
      });
      if (json) printJson(terminal, key);
      else {
        terminal.line(key.secret ?? '');
        terminal.note(terminal.paint.dim('keep it: it is not shown again'));
      }
    },
  });
  addClientCommand(registry, keys, {
    usage: 'revoke <id>',
    summary: 'revoke a key',
    async run({ api, terminal, args, json }) {
      const key = await api.delete<Key>(pathOf('keys', args[0]));
      if (json) printJson(terminal, key);
      else terminal.line(`${args[0]} is revoked`);
    },
  });
}

function row(terminal: Terminal, key: Key): string[] {
  const now = terminal.now();
  const isOver = key.expiresAt !== null && Date.parse(key.expiresAt) <= now;
  const status = key.revoked ? 'revoked' : isOver ? 'expired' : 'valid';
  const expires = key.expiresAt === null ? 'never' : relative(key.expiresAt, now);
  return [key.id, key.tenant, key.role, status, relative(key.createdAt, now), expires, key.note];
}
