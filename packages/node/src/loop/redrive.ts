import { type Answer, formatRunId, parseDetail, type RunId } from '@signalbox/engine';
import type { Store } from '@signalbox/store';
import type { CommitLoop } from './loop.ts';
import { refused } from './refused.ts';

/**
 * Tries an ended run again on somebody's word: a quarantine is cleared, a failure re-driven. A
 * terminal state is never left (I3), so this is a new run of the same job version and input, and
 * its trigger names the old one and who asked: that is the audit trail (FLT-06).
 */
export async function redrive(params: {
  loop: CommitLoop;
  store: Store;
  tenant: string;
  id: RunId;
  by: string;
}): Promise<Answer> {
  const { loop, store, tenant, id, by } = params;
  if (by === '') return NEEDS_IDENTITY;
  if (!loop.owns(id.partition)) return refused('not_owner');
  const stored = await store.getRun({ tenant, id });
  if (stored === null) return NOT_FOUND;
  if (stored.end === null) return STILL_LIVE;
  const { tasks } = parseDetail(stored.end.detail, id.ms);
  if (tasks.every((task) => task.state === 'SUCCEEDED')) return SUCCEEDED;
  const { job, jobVersion: version, class: klass, input } = stored.run;
  const spec = await loop.specs.load({ tenant, job, version });
  const head = { trigger: { kind: 'redrive', of: formatRunId(id), by } };
  const { partition } = id;
  return loop.execute({ kind: 'submit', partition, spec, head, class: klass, input });
}

const NEEDS_IDENTITY: Answer = {
  kind: 'refused',
  code: 'invalid',
  message: '`by` must say who asks for it to be tried again',
};
const NOT_FOUND: Answer = { kind: 'refused', code: 'not_found', message: 'no run has this id' };
const STILL_LIVE: Answer = { kind: 'refused', code: 'invalid', message: 'the run has not ended' };
const SUCCEEDED: Answer = { kind: 'refused', code: 'invalid', message: 'the run succeeded' };
