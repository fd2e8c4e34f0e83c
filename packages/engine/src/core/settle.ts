import { encodeDetail, packOutputs } from '../facts/detail.ts';
import { runEnded, type TaskOutcome, taskCancelled, taskRetryAt } from '../facts/facts.ts';
import { isFailure, isRunFailure, taskName } from '../model/graph.ts';
import type { AttemptRecord, Run, Task } from '../model/run.ts';
import { isTerminalTask, type RunState, type TaskState } from '../model/states.ts';
import type { Core } from './core.ts';
import { enqueue, makeReady } from './enqueue.ts';
import { linger } from './lingering.ts';
import { notify } from './notify.ts';
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
  const outcome = unlessPaused(core, task, unlessDoomed(task, decided));
  core.wheel.disarm(task);
  if (attempt !== null) {
    endCharge(core, attempt, outcome.kind !== 'taskRequeued' || task.state !== 'ASSIGNED');
  } else if (task.lane !== null) core.queues.remove(task);
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

/**
 * Where failures pause the run, a task that failed for good has not ended: it is held, and tried
 * again when somebody resumes. A terminal state is never left (I3), so it must not be entered.
 */
function unlessPaused(core: Core, task: Task, outcome: TaskOutcome): TaskOutcome {
  const { run } = task;
  if (run.spec.graph.failurePolicy !== 'PAUSE' || run.doomed) return outcome;
  if (!('error' in outcome)) return outcome;
  if (!isRunFailure(task, OUTCOME_STATE[outcome.kind], outcome.reason)) return outcome;
  const { partition, seq, at, attempt, reason, error } = outcome;
  const detail = `${taskName(task)} failed: ${error}`;
  core.pauseRun(run, { by: '', why: 'task_failed', detail });
  const of = { partition, seq, task: task.index, at, attempt, reason, error };
  return taskRetryAt({ ...of, dueAt: at, memoryMb: 0 });
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
  const ended = endState(run, task, state);
  notifyEnd(core, run, ended);
  // What an earlier try said is no error of a task that succeeded.
  const succeeded = outcome.kind === 'taskSucceeded';
  const error = succeeded ? null : 'error' in outcome ? outcome.error : task.error;
  const output = succeeded ? outcome.output : null;
  const attempt = recordOf(task, outcome);
  const failedBy = attempt === null && isFailure(state) ? reasonOf(outcome) : null;
  const last = { task, state, error, attempt, output, failedBy };
  const fact = runEnded({
    partition: run.partition,
    seq: run.seq,
    ms: run.ms,
    at: outcome.at,
    tenant: run.spec.tenant,
    state: ended,
    last: outcome,
    detail: encodeDetail(run, last, outcome.at),
    output: run.tasks.length === 1 ? output : packOutputs(run, last),
  });
  core.emit(book, fact, run);
  core.onRunEnded(run, fact);
}

function notifyEnd(core: Core, run: Run, state: RunState): void {
  const on = state === 'SUCCEEDED' ? 'success' : 'failure';
  if (run.spec.graph.notify[on]) notify(core, run, { on, state, detail: '' });
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
    outcome: reasonOf(outcome),
  };
}

function reasonOf(outcome: TaskOutcome): string {
  return outcome.kind === 'taskSucceeded' ? 'succeeded' : outcome.reason;
}

function endState(run: Run, last: Task, lastState: TaskState): RunState {
  let someSucceeded = false;
  let allWell = true;
  for (const task of run.tasks) {
    const state = task === last ? lastState : task.state;
    if (state === 'SUCCEEDED') someSucceeded = true;
    else if (state !== 'SKIPPED') allWell = false;
  }
  if (allWell) return 'SUCCEEDED';
  if (run.cancel !== null) return 'CANCELLED';
  return run.spec.graph.allowPartial && someSucceeded ? 'PARTIAL' : 'FAILED';
}
