import type { Page, TaskState, TaskView } from '@signalbox/protocol';
import { findTakenRun } from './find-run.ts';
import { operation } from './operation.ts';
import { readAnywhere } from './read-run.ts';
import { showTasks, TASKS_SHOWN_MAX } from './run-view.ts';

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
    const { state } = params;
    const select = {
      from: Number(params.cursor ?? 0),
      limit: Math.min(params.limit ?? TASKS_SHOWN_MAX, TASKS_SHOWN_MAX),
      ...(state === undefined ? {} : { state }),
    };
    const view = await readAnywhere(context, { tenant, id, select });
    const { job, jobVersion: version } = view;
    const spec = await context.loop.specs.load({ tenant, job, version });
    const { tasks, nextTasks } = showTasks(view, spec, select);
    return nextTasks === undefined ? { items: tasks } : { items: tasks, next: nextTasks };
  },
);
