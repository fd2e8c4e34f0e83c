import type { Page, RunView, TaskView } from '@signalbox/protocol';
import type { Api } from './api.ts';

/** A run with all its tasks: one answer has the first thousand, pages have the rest. */
export async function readWholeRun(api: Api, id: string): Promise<RunView> {
  const run = await api.get<RunView>(`/runs/${id}`);
  let { nextTasks: cursor } = run;
  if (cursor === undefined) return run;
  const tasks = [...run.tasks];
  while (cursor !== undefined) {
    const page: Page<TaskView> = await api.get(`/runs/${run.id}/tasks`, { cursor, limit: 1_000 });
    tasks.push(...page.items);
    cursor = page.next;
  }
  return { ...run, tasks };
}
