import type { Diagnosis, RunView } from '@signalbox/protocol';
import type { Command } from 'commander';
import { findRun, findTask, taskStart } from '../client/find-run.ts';
import { pathOf } from '../client/path-of.ts';
import { printJson } from '../print/json.ts';
import { escapeControls } from '../print/table.ts';
import { addClientCommand, type Call, type Registry } from './define.ts';

/** A run may have thousands of tasks that wait for the same thing. */
const TASKS_MAX = 20;

export function addWhy(registry: Registry, program: Command): void {
  addClientCommand(registry, program, {
    usage: 'why <task-or-run>',
    summary: 'say why a task is not running: what binds it, and what would lift that',
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
      for (const task of (held.length === 0 ? run.tasks : held).slice(0, TASKS_MAX)) {
        await explain(call, task.id);
      }
      if (held.length > TASKS_MAX) terminal.note(`… and ${held.length - TASKS_MAX} more tasks`);
      return undefined;
    },
  });
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
  if (found.detail !== '') terminal.line(`  ${escapeControls(found.detail)}`);
  if (found.suggestion !== '')
    terminal.line(`  ${paint.cyan('→')} ${terminal.typed(escapeControls(found.suggestion))}`);
}
