import type { Page, TaskState, TaskView } from '@signalbox/protocol';
import { findTakenRun } from './find-run.ts';
import { operation } from './operation.ts';
import { readView, TASKS_SHOWN_MAX } from './read-run.ts';
import { showRun } from './run-view.ts';

export interface RunTasksParams {
  readonly id: string;
  /** The position of the first task, from 0 on. */
  readonly cursor?: string;
  readonly limit?: number;
  readonly state?: TaskState;
}

/**
 * The tasks of one run, in pages. Tasks keep their places for ever, and new ones come behind the last:
 * whoever reads page by page while the run grows misses none and sees none twice.
 */
export const runTasks = operation(
  async (context, caller, params: RunTasksParams): Promise<Page<TaskView>> => {
    const { tenant } = caller;
    const { id } = await findTakenRun(context, tenant, params.id);
    const { tasks } = await showRun(context, await readView(context, tenant, id));
    const limit = Math.min(params.limit ?? TASKS_SHOWN_MAX, TASKS_SHOWN_MAX);
    const items: TaskView[] = [];
    let at = Number(params.cursor ?? 0);
    for (; at < tasks.length && items.length < limit; at++) {
      const task = tasks[at] as TaskView;
      if (params.state === undefined || task.state === params.state) items.push(task);
    }
    return at < tasks.length ? { items, next: String(at) } : { items };
  },
);
