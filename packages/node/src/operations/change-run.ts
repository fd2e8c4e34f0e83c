import { formatRunId, parseClass } from '@signalbox/engine';
import type { ClassName, RunView, Submitted } from '@signalbox/protocol';
import { ApiError, type Caller, type NodeContext } from '../context.ts';
import { executeOnRun, redrive } from '../loop/index.ts';
import { requirePlain } from './check-text.ts';
import { findTakenRun } from './find-run.ts';
import { operation } from './operation.ts';
import { readView } from './read-run.ts';
import { refusal } from './refusals.ts';
import { showRun } from './run-view.ts';

interface About {
  readonly id: string;
  readonly reason?: string;
}

/** Cancels a run. One that has ended stays as it is and answers `not_running`. */
export const cancelRun = operation((context, caller, params: About) =>
  changeLive(context, caller, { ...params, change: { kind: 'cancel' } }),
);

export const changeClass = operation(
  async (context, caller, params: About & { class: ClassName }): Promise<RunView> => {
    const klass = parseClass(params.class);
    if (klass === null) throw new ApiError('invalid', 'class is P0, P1 or P2', { field: 'class' });
    const change = { kind: 'changeClass', class: klass } as const;
    return changeLive(context, caller, { ...params, change });
  },
);

type Change = { kind: 'cancel' } | { kind: 'changeClass'; class: 0 | 1 | 2 };

async function changeLive(
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
    throw new ApiError('not_running', `the run has ended as ${view.state}`);
  }
  if (answer.kind === 'refused') throw refusal(answer);
  return showRun(context, await readView(context, tenant, id));
}

/** Tries an ended run again: a new run of the same job version and input, which names the old one. */
export const retryRun = operation(async (context, caller, params: About): Promise<Submitted> => {
  const { loop, store } = context;
  const { tenant } = caller;
  reasonOf(params);
  const { id } = await findTakenRun(context, tenant, params.id);
  const { job, state, endedAtMs } = await readView(context, tenant, id);
  if (endedAtMs === null) throw new ApiError('conflict', `the run has not ended: it is ${state}`);
  const answer = await redrive({ loop, store, tenant, id, by: caller.key });
  if (answer.kind === 'refused' && answer.code === 'invalid') {
    throw new ApiError('conflict', answer.message);
  }
  if (answer.kind === 'refused') throw refusal(answer);
  if (answer.kind === 'done')
    throw new ApiError('internal', 'a submission was answered with nothing');
  return { id: formatRunId(answer), job, created: answer.kind === 'accepted' };
});

function reasonOf({ reason = '' }: About): string {
  if (reason.length > 1_024) {
    throw new ApiError('invalid', 'a reason has at most 1024 characters', { field: 'reason' });
  }
  requirePlain('reason', reason);
  return reason;
}
