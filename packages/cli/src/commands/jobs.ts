import type { Job } from '@signalbox/protocol';
import type { Command } from 'commander';
import { printJson } from '../print/json.ts';
import { printFields, printTable } from '../print/table.ts';
import type { Terminal } from '../print/terminal.ts';
import { relative } from '../print/times.ts';
import { addClientCommand, addCommand, type Registry } from './define.ts';
import { addJobsGraph } from './jobs-graph.ts';
import { limitOf, limitOption } from './limit.ts';

const HEAD = ['NAME', 'VERSION', 'STATE', 'CLASS', 'TASKS', 'CHANGED', 'DESCRIPTION'] as const;

export function addJobs(registry: Registry, program: Command): void {
  const jobs = addCommand(program, 'jobs', {
    summary: 'list, show, draw, pause and delete jobs',
    examples: [
      ['signalbox jobs', 'every job'],
      ['signalbox jobs show report', 'its definition'],
      ['signalbox jobs graph report', 'its tasks and what they wait for'],
      ['signalbox jobs pause report', 'new submissions are refused until it is enabled'],
    ],
  });
  addClientCommand(registry, jobs, {
    usage: 'list',
    isDefault: true,
    summary: 'list jobs',
    configure: (command) => {
      command.option('--deleted', 'those that were deleted too');
      limitOption(command, 1_000);
    },
    async run({ api, terminal, options, json }) {
      const query = options['deleted'] === true ? { deleted: true } : {};
      const found: Job[] = [];
      for await (const job of api.items<Job>('/jobs', query, limitOf(options))) {
        if (json) printJson(terminal, job);
        else found.push(job);
      }
      if (json) return undefined;
      if (found.length === 0) terminal.note('no jobs; define some with: signalbox apply -f FILE');
      else
        printTable(
          terminal,
          HEAD,
          found.map((job) => row(terminal, job)),
        );
      return undefined;
    },
  });
  addClientCommand(registry, jobs, {
    usage: 'show <job>',
    summary: 'show the definition of a job',
    configure: (command) => {
      command.option('--version <number>', 'as it was in this version');
    },
    async run({ api, terminal, args, options, json }) {
      const path = `/jobs/${encodeURIComponent(args[0] ?? '')}`;
      const { version } = options as { version?: string };
      const at = version === undefined ? '' : `/versions/${encodeURIComponent(version)}`;
      const job = await api.get<Job>(`${path}${at}`);
      if (json) printJson(terminal, job);
      else await print(terminal, job);
      return undefined;
    },
  });
  addJobsGraph(registry, jobs);
  const changes = [
    ['pause', 'refuse new submissions of a job', 'paused'],
    ['enable', 'take submissions of a job again', 'enabled'],
    ['restore', 'bring back a deleted job', 'restored'],
    ['delete', 'delete a job; its runs stay', 'deleted'],
  ] as const;
  for (const [action, summary, done] of changes) {
    addClientCommand(registry, jobs, {
      usage: `${action} <job>`,
      summary,
      async run({ api, terminal, args, json }) {
        const [name = ''] = args;
        const path = `/jobs/${encodeURIComponent(name)}`;
        const changed =
          action === 'delete'
            ? await api.delete<Job>(path)
            : await api.post<Job>(`${path}/${action}`);
        if (json) printJson(terminal, changed ?? { name, state: done });
        else terminal.line(`${name} is ${done}`);
        return undefined;
      },
    });
  }
}

function row(terminal: Terminal, job: Job): string[] {
  return [
    job.name,
    String(job.version),
    job.state === 'enabled' ? job.state : terminal.paint.yellow(job.state),
    job.definition.class ?? 'P1',
    String(job.definition.tasks?.length ?? 1),
    relative(job.at, terminal.now()),
    job.definition.description ?? '',
  ];
}

async function print(terminal: Terminal, job: Job): Promise<void> {
  printFields(terminal, [
    ['job', job.name],
    ['version', String(job.version)],
    ['state', job.state],
    ['changed', `${relative(job.at, terminal.now())} by ${job.author}`],
  ]);
  terminal.line('');
  const { stringify } = await import('yaml');
  terminal.write(stringify({ job: job.name, ...job.definition }));
}
