import type { Tenant } from '@signalbox/protocol';
import { type Command, InvalidArgumentError } from 'commander';
import { pathOf } from '../client/path-of.ts';
import { printJson } from '../print/json.ts';
import { printTable } from '../print/table.ts';
import type { Terminal } from '../print/terminal.ts';
import { relative } from '../print/times.ts';
import { UserError } from '../user-error.ts';
import { addClientCommand, addCommand, type Registry } from './define.ts';
import { addList } from './list.ts';

const HEAD = ['NAME', 'WEIGHT', 'RUNNING MAX', 'CHANGED'] as const;

export function addTenants(registry: Registry, program: Command): void {
  const tenants = addCommand(program, 'tenants', {
    summary: 'list, show and change tenants',
    examples: [
      ['signalbox tenants', 'those that something was said about'],
      [
        'signalbox tenants set acme --weight 2 --running-max 50',
        'twice the share, 50 tasks at once',
      ],
    ],
  });
  addList<Tenant>(registry, tenants, {
    path: '/tenants',
    summary: 'list tenants',
    head: HEAD,
    row,
    none: 'nothing was said about any tenant: all are alike',
    limit: 100,
  });
  addClientCommand(registry, tenants, {
    usage: 'show <tenant>',
    summary: 'show weight and limits of a tenant',
    async run({ api, terminal, args, json }) {
      const tenant = await api.get<Tenant>(pathOf('tenants', args[0]));
      if (json) printJson(terminal, tenant);
      else printTable(terminal, HEAD, [row(terminal, tenant)]);
      return undefined;
    },
  });
  addClientCommand(registry, tenants, {
    usage: 'set <tenant>',
    summary: 'set weight and limits of a tenant; what is left out has none',
    configure: (command) => {
      command
        .option('--weight <number>', 'share of spare capacity; 1 without it', toNumber)
        .option('--running-max <count>', 'most tasks at once', toNumber);
    },
    async run({ api, terminal, args, options, json }) {
      const { weight, runningMax } = options as { weight?: number; runningMax?: number };
      if (weight === undefined && runningMax === undefined) {
        throw new UserError('usage', 'give --weight, --running-max or both');
      }
      const tenant = await api.put<Tenant>(pathOf('tenants', args[0]), {
        ...(weight === undefined ? {} : { weight }),
        ...(runningMax === undefined ? {} : { runningMax }),
      });
      if (json) printJson(terminal, tenant);
      else printTable(terminal, HEAD, [row(terminal, tenant)]);
      return undefined;
    },
  });
  addClientCommand(registry, tenants, {
    usage: 'delete <tenant>',
    summary: 'take back what was said about a tenant',
    async run({ api, terminal, args, json }) {
      const [name = ''] = args;
      await api.delete(pathOf('tenants', name));
      if (json) printJson(terminal, { name, deleted: true });
      else terminal.line(`${name} has the weight 1 and no limits again`);
      return undefined;
    },
  });
}

function row(terminal: Terminal, { name, definition, at }: Tenant): string[] {
  const { weight = 1, runningMax } = definition;
  return [
    name,
    String(weight),
    runningMax === undefined ? 'none' : String(runningMax),
    relative(at, terminal.now()),
  ];
}

function toNumber(text: string): number {
  const number = Number(text);
  if (text !== '' && Number.isFinite(number)) return number;
  throw new InvalidArgumentError('It must be a number.');
}
