import { type Diagnosis, isEnded, type RunView, type TaskView } from '@signalbox/protocol';
import type { Command } from 'commander';
import { findRun, findTask, taskStart } from '../client/find-run.ts';
import { pathOf } from '../client/path-of.ts';
import { printJson } from '../print/json.ts';
import { addClientCommand, type Call, type Registry } from './define.ts';

/** A run may have thousands of tasks that wait for the same thing. */
const TASKS_MAX = 20;

export function addWhy(registry: Registry, program: Command): void {
  addClientCommand(registry, program, {
    usage: 'why <task-or-run>',
    summary: 'explain why a task is not running, and what would change that',
    examples: [
      ['signalbox why last', 'every task of the newest run that has not succeeded'],
      ['signalbox why last:main', 'one task'],
    ],
    async run(call) {
      const { api, args, terminal } = call;
      const [wanted = ''] = args;
      if (taskStart(wanted) >= 0) {
        await explain(call, await findTask(api, wanted));
        return undefined;
      }
      const run = await api.get<RunView>(`/runs/${await findRun(api, wanted)}`);
      const held = run.tasks.filter((task) => task.state !== 'SUCCEEDED');
      if (!call.json) printRun(call, run, held.length);
      for (const id of explained(call, run, held)) await explain(call, id);
      const isMore = held.length > TASKS_MAX || run.nextTasks !== undefined;
      if (isMore) terminal.note(terminal.typed(`… and more tasks: signalbox runs show ${run.id}`));
      return undefined;
    },
  });
}

/** Programs get at least one line, also of a run whose tasks have all succeeded or are not known yet. */
function explained({ json }: Call, run: RunView, held: readonly TaskView[]): string[] {
  if (held.length > 0 || !json) return held.slice(0, TASKS_MAX).map(({ id }) => id);
  return [run.tasks[0]?.id ?? `${run.id}:main`];
}

function printRun({ terminal }: Call, run: RunView, held: number): void {
  const { paint } = terminal;
  terminal.line(`${paint.dim(run.id)}  ${paint.state(run.state)}`);
  terminal.line(`  ${stateOf(run, held)}`);
}

/** Where a run stands, in one sentence. */
function stateOf(run: RunView, held: number): string {
  const { tasks, state, endedAt, paused, nextTasks } = run;
  const total = `${tasks.length}${nextTasks === undefined ? '' : ' first'} tasks`;
  if (endedAt !== null) {
    const how = held === 0 ? 'every task succeeded' : `${held} of ${total} did not succeed`;
    return `The run ended at ${endedAt}: ${how}.`;
  }
  if (tasks.length === 0) return 'No node has taken the submission in yet; it is stored durably.';
  if (state === 'PAUSED') {
    const who = paused === undefined || paused.by === '' ? '' : ` by ${paused.by}`;
    return `The run is paused${who}${paused?.detail ? `: ${paused.detail}` : ''}.`;
  }
  const open = tasks.filter((task) => !isEnded(task.state)).length;
  if (open === 0) return 'Every task has ended; the run ends with the next step.';
  return `${open} ${open === 1 ? 'task has' : `of ${total} have`} not ended.`;
}

async function explain({ api, terminal, json }: Call, task: string): Promise<void> {
  const found = await api.get<Diagnosis>(`${pathOf('tasks', task)}/diagnosis`);
  if (json) {
    printJson(terminal, found);
    return;
  }
  const { paint } = terminal;
  terminal.line(
    `${paint.dim(found.task)}  ${paint.state(found.state)}  ${paint.bold(found.reason)}`,
  );
  if (found.detail !== '') terminal.line(`  ${found.detail}`);
  if (found.suggestion !== '')
    terminal.line(`  ${paint.cyan('→')} ${terminal.typed(found.suggestion)}`);
}
