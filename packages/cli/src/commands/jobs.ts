import type { Job } from '@signalbox/protocol';
import type { Command } from 'commander';
import { printData } from '../print/json.ts';
import { printFields } from '../print/table.ts';
import type { Terminal } from '../print/terminal.ts';
import { relative } from '../print/times.ts';
import { addCommand, type Registry } from './define.ts';
import { addJobsGraph } from './jobs-graph.ts';
import { addNamed, addNamedActions } from './named.ts';

const NAMED = { collection: 'jobs', noun: 'job' } as const;
const HEAD = ['NAME', 'VERSION', 'STATE', 'PRIORITY', 'TASKS', 'CHANGED', 'DESCRIPTION'] as const;

export function addJobs(registry: Registry, program: Command): void {
  const jobs = addCommand(program, 'jobs', {
    summary: 'list, show, draw, pause and delete jobs',
    examples: [
      ['signalbox jobs', 'every job'],
      ['signalbox jobs show report', 'its definition'],
      ['signalbox jobs graph report', 'its tasks and what they wait for'],
      ['signalbox jobs pause report', 'new submissions are refused until it is resumed'],
    ],
  });
  addNamed<Job>(registry, jobs, {
    ...NAMED,
    head: HEAD,
    row,
    print,
    keepsDeleted: true,
    keepsVersions: true,
    summaries: {
      list: 'list jobs',
      show: 'show the definition of a job',
      delete: 'delete a job; its runs stay',
    },
    hint: 'signalbox apply -f FILE',
  });
  addJobsGraph(registry, jobs);
  addNamedActions(registry, jobs, {
    ...NAMED,
    actions: [
      ['pause', 'refuse new submissions of a job', 'paused'],
      ['resume', 'take submissions of a job again', 'active'],
      ['restore', 'bring back a deleted job', 'restored'],
    ],
  });
}

function row(terminal: Terminal, job: Job): string[] {
  return [
    job.name,
    String(job.version),
    job.state === 'active' ? job.state : terminal.paint.yellow(job.state),
    String(job.definition.priority ?? 'P1'),
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
  printData(terminal, stringify({ job: job.name, ...job.definition }));
}
