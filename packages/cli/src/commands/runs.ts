import { isEnded, type RunView, type Submitted, type TaskView } from '@signalbox/protocol';
import { type Command, Option } from 'commander';
import { findRun, findTask } from '../client/find-run.ts';
import { pathOf } from '../client/path-of.ts';
import { printJson } from '../print/json.ts';
import { printTask, RUN_HEAD, runRow } from '../print/run-view.ts';
import { firstLine } from '../print/task-notes.ts';
import { addClientCommand, addCommand, type Registry } from './define.ts';
import { addList } from './list.ts';
import { filterOf, filterOptions } from './run-filter.ts';
import { addBulk } from './runs-bulk.ts';
import { addRunsShow } from './runs-show.ts';
import { waitForEnd } from './wait-for-end.ts';

export function addRuns(registry: Registry, program: Command): void {
  const runs = addCommand(program, 'runs', {
    summary: 'list and show runs',
    examples: [
      ['signalbox runs', 'the newest'],
      ['signalbox runs list --state FAILED --job report', 'some of them'],
      ['signalbox runs list --schedule nightly --from -24h', 'those of a schedule since yesterday'],
      ['signalbox runs cancel --job report --state RUNNING --dry-run', 'what would be cancelled'],
      ['signalbox runs show last', 'the newest one in full'],
      ['signalbox runs show last --watch', 'the same, updated until the run ends'],
    ],
  });
  addList<RunView>(registry, runs, {
    path: '/runs',
    summary: 'list runs, newest first',
    head: RUN_HEAD,
    row: runRow,
    none: 'no runs; submit one with: signalbox submit JOB',
    limit: 20,
    configure: filterOptions,
    query: filterOf,
  });
  addRunsShow(registry, runs);
  addBulk(registry, runs, 'cancel');
  addBulk(registry, runs, 'retry');
}

/** States and classes may be typed small. */
function onlyThose(options: Readonly<Record<string, unknown>>): Record<string, string | undefined> {
  const { job, state, priority } = options as Record<string, string | undefined>;
  return { job, state: state?.toUpperCase(), priority: priority?.toUpperCase() };
}

export function addTasks(registry: Registry, program: Command): void {
  const tasks = addCommand(program, 'tasks', {
    summary: 'list and show tasks',
    examples: [
      ['signalbox tasks list --state QUEUED', 'what waits for a worker'],
      ['signalbox tasks show last:main', 'a task of the newest run, with its attempts'],
    ],
  });
  addList<TaskView>(registry, tasks, {
    path: '/tasks',
    summary: 'list tasks, those of the newest run first',
    head: ['ID', 'STATE', 'ATTEMPTS', 'ERROR'],
    row: ({ paint }, { id, state, attempts, error }) => [
      ...[id, paint.state(state), String(attempts.at(-1)?.number ?? 0), firstLine(error ?? '')],
    ],
    none: 'no tasks',
    limit: 20,
    configure: (command) => {
      command
        .option('--job <name>', 'only of this job')
        .option('--state <state>', 'only in this state');
    },
    query: onlyThose,
  });
  addClientCommand(registry, tasks, {
    usage: 'show <task>',
    summary: 'show a task with its attempts',
    async run({ api, terminal, args, json }) {
      const id = await findTask(api, args[0] ?? '');
      const task = await api.get<TaskView>(pathOf('tasks', id));
      if (json) printJson(terminal, task);
      else printTask(terminal, task);
    },
  });
}

export function addCancel(registry: Registry, program: Command): void {
  addClientCommand(registry, program, {
    usage: 'cancel <run>',
    summary: 'cancel a run',
    examples: [['signalbox cancel last --reason "wrong input"', 'the newest, with a reason']],
    configure: (command) => {
      command.option('--reason <text>', 'why; kept with the run');
    },
    async run({ api, terminal, args, options, json }) {
      const id = await findRun(api, args[0] ?? '');
      const { reason } = options;
      await api.post(`/runs/${id}/cancel`, reason === undefined ? {} : { reason });
      const run = await api.get<RunView>(`/runs/${id}`);
      if (json) printJson(terminal, run);
      else if (isEnded(run.state)) terminal.line(`${terminal.paint.state(run.state)}  ${id}`);
      else terminal.line(`${id} is being cancelled: its worker has been told to stop`);
    },
  });
}

export function addRetry(registry: Registry, program: Command): void {
  addClientCommand(registry, program, {
    usage: 'retry <run>',
    summary:
      'retry a run that did not succeed, as a new run that keeps the results of succeeded tasks',
    examples: [
      ['signalbox retry last --wait', 'retry what failed, and wait for the end'],
      ['signalbox retry last --task load', 'one task, and everything after it'],
      ['signalbox retry last --all', 'from the start'],
    ],
    configure: (command) => {
      command
        .addOption(
          new Option(
            '--task <name...>',
            'retry only these tasks and all tasks after them',
          ).conflicts('all'),
        )
        .option('--all', 'retry every task, also those that succeeded')
        .option('--reason <text>', 'why; kept with the run')
        .option('--wait', 'wait for the end');
    },
    async run(call) {
      const { api, terminal, args, options, json } = call;
      const id = await findRun(api, args[0] ?? '');
      const { reason, task, all } = options;
      const tasks = all === true ? 'all' : task;
      const body = {
        ...(reason === undefined ? {} : { reason }),
        ...(tasks === undefined ? {} : { tasks }),
      };
      const submitted = await api.post<Submitted>(`/runs/${id}/retry`, body);
      if (options['wait'] === true) {
        return waitForEnd(call, { id: submitted.id, waitMs: Number.MAX_SAFE_INTEGER });
      }
      if (json) printJson(terminal, submitted);
      else terminal.line(submitted.id);
      return undefined;
    },
  });
}
