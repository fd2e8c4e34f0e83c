import type { Priority, RunView } from '@signalbox/protocol';
import { ApiError, type Caller, type NodeContext } from '../../context/index.ts';
import { refusal } from '../../errors/refusals.ts';
import { executeOnRun } from '../../loop/index.ts';
import { requirePlain } from '../common/check-text.ts';
import { operation } from '../common/operation.ts';
import { classOfPriority } from '../common/priority-class.ts';
import { findTakenRun } from './find-run.ts';
import { readView } from './read-run.ts';
import { showRun } from './run-view.ts';

export interface About {
  readonly id: string;
  readonly reason?: string;
}

/** Holds a run: nothing of it begins until it is resumed; what runs goes on. */
export const pauseRun = operation((context, caller, params: About) =>
  changeLive(context, caller, { ...params, change: { kind: 'pauseRun' } }),
);

/** Resumes a run: failed tasks are retried, and a fan-out evaluates its limit again. */
export const resumeRun = operation(
  (context, caller, params: About & { maxFanOut?: number }): Promise<RunView> => {
    const change = { kind: 'resumeRun', fanOutMax: params.maxFanOut ?? 0 } as const;
    return changeLive(context, caller, { ...params, change });
  },
);

/** Looks again at everything of a run that waits for nothing; changes nothing where all is well. */
export const reevaluateRun = operation((context, caller, params: About) =>
  changeLive(context, caller, { ...params, change: { kind: 'reevaluate' } }),
);

/** Cancels a run; an ended run is refused with `not_running`. */
export const cancelRun = operation((context, caller, params: About) =>
  changeLive(context, caller, { ...params, change: { kind: 'cancel' } }),
);

export const changePriority = operation(
  async (context, caller, params: About & { priority: Priority }): Promise<RunView> => {
    const bad = (message: string) => new ApiError('invalid', message, { field: 'priority' });
    const priority = classOfPriority(params.priority, bad);
    if (priority === null) throw bad('priority is required');
    const change = { kind: 'changeClass', class: priority } as const;
    return changeLive(context, caller, { ...params, change });
  },
);

type Change =
  | { kind: 'cancel' }
  | { kind: 'changeClass'; class: 0 | 1 | 2 }
  | { kind: 'pauseRun' }
  | { kind: 'resumeRun'; fanOutMax: number }
  | { kind: 'reevaluate' };

export async function changeLive(
  context: NodeContext,
  caller: Caller,
  params: About & { change: Change },
): Promise<RunView> {
  const { loop, store } = context;
  const { tenant } = caller;
  const { id } = await findTakenRun(context, tenant, params.id);
  const about = { partition: id.partition, seq: id.seq, by: caller.key, reason: reasonOf(params) };
  const command = { ...params.change, ...about };
  const answer = await executeOnRun({ loop, store, tenant, id, command });
  if (answer.kind === 'refused' && answer.code === 'not_found') {
    const view = await readView(context, tenant, id);
    throw new ApiError('not_running', `the run has already ended as ${view.state}`);
  }
  if (answer.kind === 'refused') throw refusal(answer);
  return showRun(context, await readView(context, tenant, id));
}

export function reasonOf({ reason = '' }: About): string {
  if (reason.length > 1_024) {
    throw new ApiError('invalid', 'the reason exceeds 1024 characters', { field: 'reason' });
  }
  requirePlain('reason', reason);
  return reason;
}
