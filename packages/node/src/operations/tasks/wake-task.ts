import { type Command, type RunId, taskName } from '@signalbox/engine';
import type { RunView } from '@signalbox/protocol';
import { ApiError, type Caller, type NodeContext } from '../../context/index.ts';
import { refusal, shown } from '../../errors/refusals.ts';
import { executeOnRun } from '../../loop/index.ts';
import { requirePlain } from '../common/check-text.ts';
import { operation } from '../common/operation.ts';
import { findTakenRun } from '../runs/find-run.ts';
import { readView } from '../runs/read-run.ts';
import { showRun } from '../runs/run-view.ts';
import { showTask } from './tasks.ts';

interface OfTask {
  /** Id of the run. */
  readonly id: string;
  /** Name of the task. */
  readonly task: string;
}

/** A person approves or rejects; who, when and why become the output of the task (EXT-16). */
export const approveTask = operation(
  async (
    context,
    caller,
    params: OfTask & { decision: 'approve' | 'reject'; comment?: string },
  ): Promise<RunView> => {
    const { decision, comment = '' } = params;
    if (comment.length > 4_096) {
      throw new ApiError('invalid', 'the comment exceeds 4096 characters', { field: 'comment' });
    }
    requirePlain('comment', comment);
    return wake(context, caller, {
      ...params,
      command: (of) => ({ kind: 'approve', ...of, decision, by: caller.key, comment }),
    });
  },
);

/** Delivers the awaited event to one task, regardless of its filter. */
export const signalTask = operation(
  async (context, caller, params: OfTask & { event: unknown }): Promise<RunView> => {
    const event = new TextEncoder().encode(JSON.stringify(params.event ?? null));
    return wake(context, caller, {
      ...params,
      command: (of) => ({ kind: 'signal', ...of, event }),
    });
  },
);

async function wake(
  context: NodeContext,
  caller: Caller,
  params: OfTask & {
    command: (of: {
      partition: number;
      seq: number;
      task: number;
    }) => Command & { kind: 'approve' | 'signal' };
  },
): Promise<RunView> {
  const { loop, store } = context;
  const { tenant } = caller;
  const { id } = await findTakenRun(context, tenant, params.id);
  const task = waitingTask(context, { tenant, id, name: params.task });
  if (task === null) {
    // Refused by another node than the owner, which cannot know that it does not wait.
    await readView(context, tenant, id);
    const shownTask = await showTask(context, { tenant, id, name: params.task });
    if (shownTask === null) {
      throw new ApiError('not_found', `the run has no task ${shown(params.task)}`);
    }
    throw new ApiError('conflict', `the task is not waiting; it is ${shownTask.state}`);
  }
  const command = params.command({ partition: id.partition, seq: id.seq, task });
  const answer = await executeOnRun({ loop, store, tenant, id, command });
  if (answer.kind === 'refused' && answer.code === 'invalid') {
    throw new ApiError('conflict', answer.message);
  }
  if (answer.kind === 'refused') throw refusal(answer);
  return showRun(context, await readView(context, tenant, id));
}

/** The index of the waiting task of that name; another tenant's run is as good as none. */
function waitingTask(
  { loop }: NodeContext,
  { tenant, id, name }: { tenant: string; id: RunId; name: string },
): number | null {
  const run = loop.engine.core.books.get(id.partition)?.runs.get(id.seq);
  if (run?.spec.tenant !== tenant || run.ms !== id.ms) return null;
  const task = run.tasks.find((each) => taskName(each) === name);
  if (task === undefined || task.state !== 'PENDING' || !task.part?.waitsSince) return null;
  return task.index;
}
