import { type RunId, type Task, taskName } from '@signalbox/engine';
import { type AttemptView, parseTaskId, type TaskView } from '@signalbox/protocol';
import { ApiError, type NodeContext } from '../context.ts';
import { findTakenRun } from './find-run.ts';
import { operation } from './operation.ts';
import { loadPayload } from './payloads.ts';
import { readView } from './read-run.ts';
import { shown } from './refusals.ts';
import { showRun } from './run-view.ts';

export const getTask = operation(
  async (context, caller, params: { id: string }): Promise<TaskView> => {
    const { run, task } = await findTask(context, caller.tenant, params.id);
    const view = await showRun(context, await readView(context, caller.tenant, run));
    const found = view.tasks.find((each) => each.name === task);
    if (found === undefined) throw noTask(params.id);
    return found;
  },
);

export const taskAttempts = operation(
  async (context, caller, params: { id: string }): Promise<{ items: AttemptView[] }> => {
    return { items: (await getTask(context, caller, params)).attempts };
  },
);

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
  return new ApiError('not_found', `no task has the id ${shown(id)}`);
}
