import { duration } from '@signalbox/node/settings';
import type { Tenant } from '@signalbox/protocol';
import { type Command, InvalidArgumentError } from 'commander';
import { AnsweredError } from '../client/api.ts';
import { pathOf } from '../client/path-of.ts';
import { printJson } from '../print/json.ts';
import { printTable } from '../print/table.ts';
import type { Terminal } from '../print/terminal.ts';
import { relative } from '../print/times.ts';
import { UserError } from '../user-error.ts';
import { addClientCommand, addCommand, type Registry } from './define.ts';
import { addList } from './list.ts';

const FIELDS = [
  'weight',
  'maxRunning',
  'minJitter',
  'maxJobs',
  'maxSchedules',
  'maxTriggers',
] as const;
const HEAD = ['NAME', 'WEIGHT', 'MAX RUNNING', 'CHANGED'] as const;

export function addTenants(registry: Registry, program: Command): void {
  const tenants = addCommand(program, 'tenants', {
    summary: 'list, show and change tenants',
    examples: [
      ['signalbox tenants', 'tenants with settings of their own'],
      [
        'signalbox tenants update acme --weight 2 --max-running 50',
        'twice the share, 50 tasks at once',
      ],
    ],
  });
  addList<Tenant>(registry, tenants, {
    path: '/tenants',
    summary: 'list tenants',
    head: HEAD,
    row,
    none: 'no tenant has settings of its own',
    limit: 100,
  });
  addClientCommand(registry, tenants, {
    usage: 'show <tenant>',
    summary: 'show weight and limits of a tenant',
    async run({ api, terminal, args, json }) {
      const tenant = await api.get<Tenant>(pathOf('tenants', args[0]));
      print(terminal, tenant, json);
    },
  });
  addUpdate(registry, tenants);
  addClientCommand(registry, tenants, {
    usage: 'delete <tenant>',
    summary: 'reset a tenant to the defaults',
    async run({ api, terminal, args, json }) {
      const [name = ''] = args;
      await api.delete(pathOf('tenants', name));
      if (json) printJson(terminal, { name, deleted: true });
      else terminal.line(`${name} has the weight 1 and no limits again`);
    },
  });
}

function addUpdate(registry: Registry, tenants: Command): void {
  addClientCommand(registry, tenants, {
    usage: 'update <tenant>',
    summary: 'change the given settings of a tenant',
    examples: [['signalbox tenants update acme --max-running none', 'no limit any more']],
    configure: (command) => {
      command
        .option('--weight <number>', 'share of spare capacity; "none" for 1', toLimit)
        .option('--max-running <count>', 'most tasks at once; "none" for no limit', toLimit)
        .option(
          '--min-jitter <time>',
          'least spread of its schedules, like 30s; "none" for none',
          toTime,
        )
        .option('--max-jobs <count>', 'most jobs; "none" for 100,000', toLimit)
        .option('--max-schedules <count>', 'most schedules; "none" for 100,000', toLimit)
        .option('--max-triggers <count>', 'most triggers; "none" for 100,000', toLimit);
    },
    async run({ api, terminal, args, options, json }) {
      const changed = FIELDS.filter((field) => options[field] !== undefined);
      if (changed.length === 0) {
        throw new UserError(
          'usage',
          'nothing to change; use --weight, --max-running, --min-jitter, --max-jobs, --max-schedules or --max-triggers',
        );
      }
      const path = pathOf('tenants', args[0]);
      const before = await api.get<Tenant>(path).catch((error: unknown) => {
        if (error instanceof AnsweredError && error.code === 'not_found') return null;
        throw error;
      });
      const definition: Record<string, unknown> = { ...before?.definition };
      for (const field of changed) {
        if (options[field] === 'none') delete definition[field];
        else definition[field] = options[field];
      }
      // With the version that was read, so that a concurrent change is not lost.
      const seen: Record<string, string> =
        before === null ? { 'if-none-match': '*' } : { 'if-match': `"${before.version}"` };
      const tenant = await api.put<Tenant>(path, definition, seen);
      print(terminal, tenant, json);
    },
  });
}

function print(terminal: Terminal, tenant: Tenant, json: boolean): void {
  if (json) printJson(terminal, tenant);
  else printTable(terminal, HEAD, [row(terminal, tenant)]);
}

function row(terminal: Terminal, { name, definition, at }: Tenant): string[] {
  const { weight = 1, maxRunning } = definition;
  return [
    name,
    String(weight),
    maxRunning === undefined ? 'none' : String(maxRunning),
    relative(at, terminal.now()),
  ];
}

function toLimit(text: string): number | 'none' {
  if (text === 'none') return text;
  const number = Number(text);
  if (text !== '' && Number.isFinite(number)) return number;
  throw new InvalidArgumentError('Use a number, or "none".');
}

function toTime(text: string): number | 'none' {
  if (text === 'none') return text;
  const ms = duration.read(text);
  if (ms !== undefined) return ms;
  throw new InvalidArgumentError(`Use ${duration.words}, or "none".`);
}
