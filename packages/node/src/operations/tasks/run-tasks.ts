import type { Page, TaskState, TaskView } from '@signalbox/protocol';
import { openCursor, sealCursor } from '../common/cursors.ts';
import { operation } from '../common/operation.ts';
import { findTakenRun } from '../runs/find-run.ts';
import { readAnywhere } from '../runs/read-run.ts';
import { showTasks, TASKS_SHOWN_MAX, tasksOf } from '../runs/run-view.ts';

export interface RunTasksParams {
  readonly id: string;
  readonly cursor?: string;
  readonly limit?: number;
  readonly state?: TaskState;
}

/**
 * The tasks of one run, in pages. Positions of tasks never change, and new tasks are appended: reading page by page
 * while the run grows returns every task once.
 */
export const runTasks = operation(
  async (context, caller, params: RunTasksParams): Promise<Page<TaskView>> => {
    const { tenant } = caller;
    const { id } = await findTakenRun(context, tenant, params.id);
    const { state } = params;
    const { cursor: text } = params;
    const scope = tasksOf(tenant, id, state);
    const from =
      text === undefined ? '0' : await openCursor(context.store, scope, { field: 'cursor', text });
    const select = {
      from: Number(from),
      limit: Math.min(params.limit ?? TASKS_SHOWN_MAX, TASKS_SHOWN_MAX),
      ...(state === undefined ? {} : { state }),
    };
    const view = await readAnywhere(context, { tenant, id, select });
    const { job, jobVersion: version } = view;
    const spec = await context.loop.specs.load({ tenant, job, version });
    const { tasks, nextTasks } = showTasks(view, spec, select);
    if (nextTasks === undefined) return { items: tasks };
    return { items: tasks, next: await sealCursor(context.store, scope, nextTasks) };
  },
);
