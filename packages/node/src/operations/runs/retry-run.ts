import { formatRunId } from '@signalbox/engine';
import type { Submitted } from '@signalbox/protocol';
import { ApiError } from '../../errors/api-error.ts';
import { refusal } from '../../errors/refusals.ts';
import { type RedriveScope, redrive } from '../../loop/index.ts';
import { renewPayload } from '../blobs/payloads.ts';
import { operation } from '../common/operation.ts';
import { type About, reasonOf } from './change-run.ts';
import { findTakenRun } from './find-run.ts';
import { readView } from './read-run.ts';

interface Retry extends About {
  /** Every task that did not succeed, all of them from the start, or these and what they held up. */
  readonly tasks?: RedriveScope;
}

/**
 * Tries an ended run again: a new run of the same job version and input, which names the old one and
 * goes on with what had succeeded there (DAG-18).
 */
export const retryRun = operation(async (context, caller, params: Retry): Promise<Submitted> => {
  const { loop, store } = context;
  const { tenant } = caller;
  reasonOf(params);
  const { id } = await findTakenRun(context, tenant, params.id);
  const { job, state, endedAtMs } = await readView(context, tenant, id);
  if (endedAtMs === null) throw new ApiError('conflict', `the run has not ended; it is ${state}`);
  const scope = params.tasks ?? 'failed';
  const renew = (payload: Uint8Array) => renewPayload(context, tenant, payload);
  const answer = await redrive({ loop, store, tenant, id, by: caller.key, scope, renew });
  if (answer.kind === 'refused' && answer.code === 'invalid') {
    throw new ApiError('conflict', answer.message);
  }
  if (answer.kind === 'refused') throw refusal(answer);
  if (answer.kind === 'done') throw new ApiError('internal', 'a submission returned no result');
  return { id: formatRunId(answer), job, created: answer.kind === 'accepted' };
});
