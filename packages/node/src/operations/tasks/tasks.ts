import { grownNames, type RunId, type Task, taskName } from '@signalbox/engine';
import { type AttemptView, parseTaskId, type TaskView } from '@signalbox/protocol';
import { ApiError, type NodeContext } from '../../context/index.ts';
import { shown } from '../../errors/refusals.ts';
import { NO_TASKS } from '../../loop/index.ts';
import { loadPayload } from '../blobs/payloads.ts';
import { operation } from '../common/operation.ts';
import { findTakenRun } from '../runs/find-run.ts';
import { notOwner, readAnywhere, readView } from '../runs/read-run.ts';
import { showTasks } from '../runs/run-view.ts';

export const getTask = operation(
  async (context, caller, params: { id: string }): Promise<TaskView> => {
    const { run, task } = await findTask(context, caller.tenant, params.id);
    const found = await showTask(context, { tenant: caller.tenant, id: run, name: task });
    if (found === null) throw noTask(params.id);
    return found;
  },
);

export const taskAttempts = operation(
  async (context, caller, params: { id: string }): Promise<{ items: AttemptView[] }> => {
    return { items: (await getTask(context, caller, params)).attempts };
  },
);

/** One task by its name; null where the run has none of it. */
export async function showTask(
  context: NodeContext,
  { tenant, id, name }: { tenant: string; id: RunId; name: string },
): Promise<TaskView | null> {
  const head = await readAnywhere(context, { tenant, id, select: NO_TASKS });
  const { job, jobVersion: version, growth } = head;
  const spec = await context.loop.specs.load({ tenant, job, version });
  const names = [...spec.tasks.map((task) => task.name), ...grownNames(spec, growth)];
  // Tasks keep their places: what has grown since comes behind it.
  const from = names.indexOf(name);
  if (from < 0) return null;
  const select = { from, limit: 1 };
  const view = await readAnywhere(context, { tenant, id, select });
  return showTasks(view, spec, select).tasks[0] ?? null;
}

/** What the task last saved; there is nothing once its run has ended. */
export const taskCheckpoint = operation(
  async (context, caller, params: { id: string }): Promise<Uint8Array> => {
    const { tenant } = caller;
    const { run: id, task: name } = await findTask(context, tenant, params.id);
    await readView(context, tenant, id);
    const task = liveTask(context, { tenant, id, name });
    const checkpoint = task?.checkpoint ?? null;
    if (task === null || checkpoint === null) {
      throw new ApiError('not_found', 'the task has no checkpoint');
    }
    await context.loop.durable(task.run.groupNumber);
    // Ownership may have ended while we waited; then the checkpoint may never become durable.
    if (!context.loop.owns(id.partition)) throw notOwner();
    return loadPayload(context, tenant, checkpoint);
  },
);

/** Where a task's id points: its run, taken in by the owner, and the task's name. */
export async function findTask(
  context: NodeContext,
  tenant: string,
  text: string,
): Promise<{ run: RunId; task: string }> {
  const named = parseTaskId(text);
  if (named === null) throw noTask(text);
  try {
    const { id } = await findTakenRun(context, tenant, named.run);
    return { run: id, task: named.task };
  } catch (error) {
    throw error instanceof ApiError && error.code === 'not_found' ? noTask(text) : error;
  }
}

/** The task in this node's memory; null where its run is not live here. */
export function liveTask(
  context: NodeContext,
  of: { tenant: string; id: RunId; name: string },
): Task | null {
  const run = context.loop.engine.core.books.get(of.id.partition)?.runs.get(of.id.seq);
  if (run === undefined || run.ms !== of.id.ms || run.spec.tenant !== of.tenant) return null;
  return run.tasks.find((task) => taskName(task) === of.name) ?? null;
}

export function noTask(id: string): ApiError {
  return new ApiError('not_found', `there is no task with the id ${shown(id)}`);
}
