import { encodeDetail } from '../facts/detail.ts';
import { runEnded, type TaskOutcome, taskCancelled } from '../facts/facts.ts';
import type { AttemptRecord, Run, Task } from '../model/run.ts';
import { isTerminalTask, type RunState, type TaskState } from '../model/states.ts';
import type { Core } from './core.ts';
import { enqueue, makeReady } from './enqueue.ts';
import { linger } from './lingering.ts';
import { endCharge, unorphan, vacate } from './occupy.ts';

const OUTCOME_STATE: { readonly [K in TaskOutcome['kind']]: TaskState } = {
  taskSucceeded: 'SUCCEEDED',
  taskRetryAt: 'PENDING',
  taskRequeued: 'QUEUED',
  taskFailed: 'FAILED',
  taskTimedOut: 'TIMED_OUT',
  taskQuarantined: 'QUARANTINED',
  taskCancelled: 'CANCELLED',
  taskSkipped: 'SKIPPED',
};

/**
 * The one place where a task comes to rest: its outcome is emitted, its place on the worker is
 * given back, and it goes on to its queue, its timer or its end. Every path that ends an attempt
 * comes through here, so that no path can forget one of these (airflow's leaked slots).
 *
 * `lingerMs`: the worker may still be busy with the attempt; its place stays taken for that long.
 */
export function settle(core: Core, task: Task, decided: TaskOutcome, lingerMs = 0): void {
  const attempt = task.attempt;
  const outcome = unlessDoomed(task, decided);
  core.wheel.disarm(task);
  if (attempt !== null) endCharge(core, attempt);
  else if (task.lane !== null) core.queues.remove(task);
  else core.unstall(task);
  record(core, task, outcome);
  if (attempt !== null) {
    if (attempt.worker === null) unorphan(core, task, attempt.workerName);
    else if (lingerMs > 0) linger(core, attempt, lingerMs);
    else vacate(core, attempt);
  }
  if (task.state === 'QUEUED') enqueue(core, task);
  else if (task.state === 'PENDING') makeReady(core, task);
  else core.onTaskEnded(task);
}

/** Nothing of a run that was cancelled or has failed is tried again, whichever way it came back. */
function unlessDoomed(task: Task, outcome: TaskOutcome): TaskOutcome {
  if (!task.run.doomed || isTerminalTask(OUTCOME_STATE[outcome.kind])) return outcome;
  const { partition, seq, at, attempt } = outcome;
  const reason = task.run.cancel === null ? 'upstream_failed' : 'cancelled';
  return taskCancelled({ partition, seq, task: task.index, at, attempt, reason });
}

/** The last open task takes its run with it, in the same fact. */
function record(core: Core, task: Task, outcome: TaskOutcome): void {
  const run = task.run;
  const book = core.bookOf(run);
  const state = OUTCOME_STATE[outcome.kind];
  if (run.openTasks > 1 || !isTerminalTask(state)) {
    core.emit(book, outcome, run);
    return;
  }
  const error = 'error' in outcome ? outcome.error : task.error;
  const detail = encodeDetail(run, { task, state, error, attempt: recordOf(task, outcome) });
  const fact = runEnded({
    partition: run.partition,
    seq: run.seq,
    ms: run.ms,
    at: outcome.at,
    tenant: run.spec.tenant,
    state: endState(run, task, state),
    last: outcome,
    detail,
    output: outcome.kind === 'taskSucceeded' ? outcome.output : null,
  });
  core.emit(book, fact, run);
  core.onRunEnded(run, fact);
}

function recordOf(task: Task, outcome: TaskOutcome): AttemptRecord | null {
  const attempt = task.attempt;
  if (attempt === null) return null;
  return {
    number: attempt.number,
    worker: attempt.workerName,
    assignedAt: attempt.assignedAt,
    startedAt: attempt.startedAt,
    endedAt: outcome.at,
    outcome: outcome.kind === 'taskSucceeded' ? 'succeeded' : outcome.reason,
  };
}

function endState(run: Run, last: Task, lastState: TaskState): RunState {
  for (const task of run.tasks) {
    if ((task === last ? lastState : task.state) === 'SUCCEEDED') continue;
    return run.cancel !== null ? 'CANCELLED' : 'FAILED';
  }
  return 'SUCCEEDED';
}
