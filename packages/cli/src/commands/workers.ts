import type { Resources, WorkerView } from '@signalbox/protocol';
import type { Command } from 'commander';
import { pathOf } from '../client/path-of.ts';
import { printJson } from '../print/json.ts';
import { printFields, printTable } from '../print/table.ts';
import type { Terminal } from '../print/terminal.ts';
import { relative } from '../print/times.ts';
import { addClientCommand, addCommand, type Registry } from './define.ts';

export function addWorkers(registry: Registry, program: Command): void {
  const workers = addCommand(program, 'workers', {
    summary: 'list and show workers',
    examples: [['signalbox workers', 'which workers are attached, and how busy they are']],
  });
  addClientCommand(registry, workers, {
    usage: 'list',
    isDefault: true,
    summary: 'list workers',
    async run({ api, terminal, json }) {
      const found: WorkerView[] = [];
      const { items } = await api.get<{ items: WorkerView[] }>('/workers');
      found.push(...items);
      if (json) for (const worker of found) printJson(terminal, worker);
      else if (found.length === 0)
        terminal.note(terminal.typed('no worker is attached: signalbox worker --help'));
      else {
        const head = ['NAME', 'STATUS', 'ZONE', 'ATTEMPTS', 'FREE SLOTS', 'LAST SEEN'];
        printTable(
          terminal,
          head,
          found.map((worker) => row(terminal, worker)),
        );
      }
    },
  });
  addClientCommand(registry, workers, {
    usage: 'show <worker>',
    summary: 'show the resources, labels and executors of a worker',
    async run({ api, terminal, args, json }) {
      const worker = await api.get<WorkerView>(pathOf('workers', args[0]));
      if (json) printJson(terminal, worker);
      else print(terminal, worker);
    },
  });
}

const ACTIONS = [
  ['drain', 'give a worker no new attempts, and let running ones end or move to other workers'],
  ['cordon', 'give a worker no new attempts; running ones continue'],
  ['uncordon', 'give a worker attempts again'],
  ['evict', 'take all attempts from a worker at once; cordon it first'],
] as const;

export function addWorkerActions(registry: Registry, program: Command): void {
  for (const [action, summary] of ACTIONS) {
    addClientCommand(registry, program, {
      usage: `${action} <worker>`,
      summary,
      examples: [[`signalbox ${action} worker-1`, 'the worker of this name']],
      configure: (command) => {
        command.option('--reason <text>', 'why; stored in the audit log');
      },
      async run({ api, terminal, args, options, json }) {
        const [name = ''] = args;
        const path = pathOf('workers', name);
        const { reason } = options;
        await api.post(`${path}/${action}`, reason === undefined ? {} : { reason });
        const worker = await api.get<WorkerView>(path);
        if (json) printJson(terminal, worker);
        else terminal.line(`${worker.name} is ${worker.status}`);
      },
    });
  }
}

function row(terminal: Terminal, worker: WorkerView): string[] {
  return [
    worker.name,
    worker.status,
    worker.zone,
    String(worker.attempts),
    `${worker.free.slots} of ${worker.total.slots}`,
    relative(worker.lastSeenAt, terminal.now()),
  ];
}

function print(terminal: Terminal, worker: WorkerView): void {
  const labels = Object.entries(worker.labels).map(([name, value]) => `${name}=${value}`);
  printFields(terminal, [
    ['worker', worker.name],
    ['status', worker.status],
    ['zone', worker.zone],
    ['labels', labels.join(', ')],
    ['executors', worker.executors.join(', ')],
    ['attempts', String(worker.attempts)],
    ['last seen', relative(worker.lastSeenAt, terminal.now())],
  ]);
  terminal.line('');
  const names = Object.keys(worker.total) as (keyof Resources)[];
  const rows = names.map((name) => [name, String(worker.free[name]), String(worker.total[name])]);
  printTable(terminal, ['RESOURCE', 'FREE', 'TOTAL'], rows);
}
