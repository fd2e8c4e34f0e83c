import {
  type Answer,
  failureOf,
  formatRunId,
  isReserved,
  parseDetail,
  type RunDetail,
  type RunHead,
  type RunId,
  runWindow,
  taskOutput,
} from '@signalbox/engine';
import type { Store } from '@signalbox/store';
import type { CommitLoop } from './loop.ts';
import { refused } from './refused.ts';
import { type RetryPlan, retryPlan } from './retry-plan.ts';

/** Every task that did not succeed, all of them from the start, or these and what they held up. */
export type RedriveScope = 'failed' | 'all' | readonly string[];

/**
 * Tries an ended run again on somebody's word: a quarantine is cleared, a failure re-driven. A
 * terminal state is never left (I3), so this is a new run of the same job version and input. It goes
 * on with what succeeded in the old one (DAG-18), and its trigger names that one and who asked: that
 * is the audit trail (FLT-06).
 */
export async function redrive(params: {
  loop: CommitLoop;
  store: Store;
  tenant: string;
  id: RunId;
  by: string;
  scope?: RedriveScope;
  /** Turns a payload of the old run into one that the new run can keep for as long as it lives. */
  renew?: (payload: Uint8Array) => Promise<Uint8Array>;
}): Promise<Answer> {
  const { loop, store, tenant, id, by, scope = 'failed' } = params;
  const renew = async (payload: Uint8Array | null) =>
    payload === null ? null : ((await params.renew?.(payload)) ?? payload);
  if (by === '') return NEEDS_IDENTITY;
  if (!loop.owns(id.partition)) return refused('not_owner');
  const stored = await store.getRun({ tenant, id });
  if (stored === null) return NOT_FOUND;
  if (stored.end === null) return STILL_LIVE;
  const detail = parseDetail(stored.end.detail, id.ms);
  if (detail.tasks.every((task) => task.state === 'SUCCEEDED')) return SUCCEEDED;
  const { job, jobVersion: version, class: klass } = stored.run;
  const spec = await loop.specs.load({ tenant, job, version });
  const plan = retryPlan(spec, detail, scope);
  if (typeof plan === 'string') return { kind: 'refused', code: 'invalid', message: plan };
  // A run of which nothing is left to do would never end: nothing in it ever happens.
  if (plan.kept.length === detail.tasks.length) return SUCCEEDED;
  const before: RunHead = stored.run.head === '' ? {} : JSON.parse(stored.run.head);
  const { unique } = before;
  const ofWindow = runWindow(before);
  const head = {
    // A live run with the value is answered instead, as to any other submission (DUR-07).
    ...(unique === undefined || isReserved(unique) ? {} : { unique }),
    trigger: { kind: 'retry', of: formatRunId(id), by },
    ...(plan.kept.length === 0 ? {} : { retryOf: formatRunId(id) }),
    ...(ofWindow === undefined ? {} : { ofWindow }),
  };
  const command = { kind: 'submit', partition: id.partition, spec, head, class: klass } as const;
  if (plan.kept.length > 0 && detail.isWhole) return NOT_KEPT;
  const input = await renew(stored.run.input);
  if (plan.kept.length === 0) return loop.execute({ ...command, input });
  const { growth, tasks } = takenOver(plan, detail, stored.end.output);
  const renewed = tasks.map(async (task) => ({ ...task, output: await renew(task.output) }));
  const takeOver = { growth, tasks: await Promise.all(renewed) };
  return loop.execute({ ...command, input, takeOver });
}

function takenOver(plan: RetryPlan, detail: RunDetail, packed: Uint8Array | null) {
  const tasks = plan.kept.map((task) => {
    const ended = detail.tasks[task] as RunDetail['tasks'][number];
    const { state, error } = ended;
    const failedBy = failureOf(ended);
    const output = taskOutput(detail, task, packed);
    return { task, state, error, output, ...(failedBy === undefined ? {} : { failedBy }) };
  });
  return { growth: plan.growth, tasks };
}

const NEEDS_IDENTITY: Answer = {
  kind: 'refused',
  code: 'invalid',
  message: '`by` must name who retries the run',
};
const NOT_FOUND: Answer = {
  kind: 'refused',
  code: 'not_found',
  message: 'there is no run with this id',
};
const STILL_LIVE: Answer = {
  kind: 'refused',
  code: 'invalid',
  message: 'the run has not ended; cancel it or wait for its end',
};
const SUCCEEDED: Answer = {
  kind: 'refused',
  code: 'invalid',
  message: 'the run succeeded; only a run that did not succeed can be retried',
};
const NOT_KEPT: Answer = {
  kind: 'refused',
  code: 'invalid',
  message: 'the task outputs of the run were too large to be stored; retry all tasks',
};
