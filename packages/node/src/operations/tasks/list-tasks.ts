import type { Page, TaskState, TaskView } from '@signalbox/protocol';
import { operation } from '../common/operation.ts';
import { paged } from '../common/paged.ts';
import { readRuns } from '../runs/list-runs.ts';
import { getRun } from '../runs/read-run.ts';

const RUNS_MAX = 100;

export interface TaskFilter {
  readonly job?: string;
  readonly state?: TaskState;
  readonly cursor?: string;
  /** Of runs: a page holds the tasks of this many. */
  readonly limit?: number;
}

/**
 * Tasks of the tenant, those of the newest run first. Tasks have no list of their own in the store:
 * they are derived from their runs, so a page consists of whole runs and may contain no match. Of a run with very
 * many tasks it contains those of one response; `runTasks` returns all.
 */
export const listTasks = operation(
  paged('tasks', async (context, caller, filter: TaskFilter): Promise<Page<TaskView>> => {
    const { job, state, cursor } = filter;
    const limit = Math.min(filter.limit ?? 50, RUNS_MAX);
    const runs = await readRuns(context, caller, {
      limit,
      ...(job === undefined ? {} : { job }),
      ...(cursor === undefined ? {} : { cursor }),
    });
    const items: TaskView[] = [];
    for (const { id } of runs.items) {
      const { tasks } = await getRun(context, caller, { id });
      items.push(...tasks.filter((task) => state === undefined || task.state === state));
    }
    return runs.next === undefined ? { items } : { items, next: runs.next };
  }),
);
