import { assertNever, invariant } from '../model/assert.ts';
import { type Book, uniqueKey } from '../model/book.ts';
import { partOf } from '../model/graph.ts';
import { DUE_LANE, type Lane, type LaneCursor } from '../model/lane.ts';
import { Attempt, Run, type Task } from '../model/run.ts';
import { withMemory } from '../model/shape.ts';
import { isTerminalRun } from '../model/states.ts';
import { recordAttempt } from './attempt-history.ts';
import type { Fact, RunEnded, SubmittedRun, TaskAssigned, TaskOutcome } from './facts.ts';
import { foldGraph } from './fold-graph.ts';
import { foldSchedule, forgetWindowRun } from './fold-schedule.ts';
import { isGraphFact } from './graph-facts.ts';
import { endTask, moveRun, moveTask, runOf } from './moves.ts';
import { isScheduleFact } from './schedule-facts.ts';

/**
 * State is the fold of facts: the same function at decision time, at recovery and in a reader.
 * It touches the book only; queues, timers and workers are derived from the book by their stages.
 *
 * Invariants asserted here:
 * - I3  one terminal state, never left; only moves of `model/states.ts` (DUR-01).
 * - I6  attempts are numbered 1..n without gaps, and there are never two live ones.
 * - I15 an outcome belongs to the live attempt.
 */
export function fold(book: Book, fact: Fact): void {
  switch (fact.kind) {
    case 'runSubmitted':
      return foldSubmitted(book, fact.run, fact.parked);
    case 'runsPagedIn':
      leaveLane(book, fact);
      for (const run of fact.runs) addRun(book, run);
      return;
    case 'runCancelRequested': {
      const run = runOf(book, fact.seq);
      run.cancel = { by: fact.by, reason: fact.reason };
      run.doomed = true;
      return;
    }
    case 'runClassChanged':
      runOf(book, fact.seq).class = fact.class;
      return;
    case 'taskAssigned':
      return foldAssigned(book, fact);
    case 'taskStarted': {
      const task = liveTask(book, fact);
      moveTask(task, 'RUNNING');
      (task.attempt as Attempt).startedAt = fact.at;
      return;
    }
    case 'taskCheckpointed':
      liveTask(book, fact).checkpoint = fact.state;
      return;
    case 'taskExtended':
      (liveTask(book, fact).attempt as Attempt).hardAt = fact.hardAt;
      return;
    case 'runEnded':
      return foldEnded(book, fact);
    default:
      if (isScheduleFact(fact)) return foldSchedule(book, fact);
      return isGraphFact(fact) ? foldGraph(book, fact) : foldOutcome(book, fact);
  }
}

function foldSubmitted(
  book: Book,
  run: SubmittedRun,
  parked: { lane: string; sort: number } | null,
): void {
  invariant(run.seq >= book.nextSeq, 'I2', `run ${run.seq} is numbered twice`);
  book.nextSeq = run.seq + 1;
  book.lastMs = run.ms;
  if (parked === null) addRun(book, run);
  else park(book, parked.lane, run);
}

/**
 * A queue's lane begins before its first run: reading it from the start would pass over every run
 * that a lane of this name has ever held. Its sort is the number of the run.
 */
export function park(book: Book, name: string, { seq, ms }: { seq: number; ms: number }): void {
  const lane = book.lane(name);
  if (lane.parked++ === 0 && lane.cursor === null && name !== DUE_LANE) {
    lane.cursor = { sort: seq - 1, ms, seq: seq - 1 };
  }
}

/** A lane that holds nothing is forgotten, so that tenants and shapes that came once cost nothing. */
export function dropEmptyLane(book: Book, name: string): void {
  if (name !== DUE_LANE && book.lanes.get(name)?.parked === 0) book.lanes.delete(name);
}

/**
 * A page moves the cursor past its runs. A run that was fetched alone is still before the cursor, so it is
 * remembered: the page that will hold it must not bring it a second time. Where the cursor was before says
 * nothing of it: a queue that began with a run which was withdrawn begins elsewhere for the next owner.
 */
export function leaveLane(
  book: Book,
  left: {
    lane: string;
    cursor: LaneCursor | null;
    parkedLeft: number;
    runs: readonly { seq: number }[];
  },
): void {
  const lane = book.lane(left.lane);
  const { cursor: before } = lane;
  const { cursor } = left;
  lane.parked = left.parkedLeft;
  lane.cursor = cursor;
  const moved = isMoved(before, cursor);
  if (moved) forgetPassed(lane);
  // Due times are no numbers, and no run begins their lane.
  const isFetched = ({ seq }: { seq: number }): boolean =>
    left.lane === DUE_LANE ? !moved : seq > (cursor?.seq ?? 0);
  for (const run of left.runs) {
    if (!isFetched(run)) continue;
    lane.taken ??= new Set();
    lane.taken.add(run.seq);
  }
  dropEmptyLane(book, left.lane);
}

/**
 * No cursor is the same as one before every run. An owner that makes its pages void has the latter, and
 * only its memory says so: an owner that folds its facts still has none.
 */
function isMoved(from: LaneCursor | null, to: LaneCursor | null): boolean {
  return (from?.sort ?? 0) !== (to?.sort ?? 0) || (from?.seq ?? 0) !== (to?.seq ?? 0);
}

/** What the cursor has passed cannot come again; the ended ones among it would be kept for ever. */
function forgetPassed(lane: Lane): void {
  const { cursor, taken, name } = lane;
  if (taken === null || cursor === null || name === DUE_LANE) return;
  for (const seq of taken) if (seq <= cursor.seq) taken.delete(seq);
  if (taken.size === 0) lane.taken = null;
}

/** Builds the run's tasks from its job version; a run of twenty tasks is still one fact. */
export function addRun(book: Book, submitted: SubmittedRun): Run {
  invariant(!book.runs.has(submitted.seq), 'I2', `run ${submitted.seq} is live twice`);
  const run = new Run({
    partition: book.partition,
    seq: submitted.seq,
    ms: submitted.ms,
    spec: submitted.spec,
    head: submitted.head,
    class: submitted.class,
    input: submitted.input,
    inputBytes: submitted.inputBytes,
  });
  book.runs.set(run.seq, run);
  if (run.input !== null) book.inputBytes += run.inputBytes;
  if (run.head.unique !== undefined) {
    book.uniques.set(uniqueKey(run.spec.tenant, run.spec.job, run.head.unique), run);
  }
  return run;
}

function foldAssigned(book: Book, fact: TaskAssigned): void {
  const task = taskOf(book, fact.seq, fact.task);
  invariant(task.attempt === null, 'I6', 'a task has two live attempts');
  invariant(fact.attempt === task.attempts + 1, 'I6', 'attempt numbers have a gap');
  // PENDING becomes QUEUED without a fact, so a fold that has no clock sees the assignment first.
  if (task.state === 'PENDING') moveTask(task, 'QUEUED');
  moveTask(task, 'ASSIGNED');
  if (task.run.state === 'PENDING') moveRun(task.run, 'RUNNING');
  task.attempts = fact.attempt;
  if (fact.token >= book.nextToken) book.nextToken = fact.token + 1;
  task.attempt = new Attempt({
    task,
    number: fact.attempt,
    epoch: book.epoch,
    token: fact.token,
    workerName: fact.worker,
    shape: task.shape,
    assignedAt: fact.at,
  });
}

function foldOutcome(book: Book, fact: TaskOutcome, ends = false): void {
  const task = taskOf(book, fact.seq, fact.task);
  const attempt = task.attempt;
  invariant((attempt?.number ?? 0) === fact.attempt, 'I15', 'the outcome of a superseded attempt');
  // The attempt that ends the run is told by the end's row; nobody reads it here any more.
  if (attempt !== null) {
    task.lastWorker = attempt.workerName;
    task.attempt = null;
    if (!ends) {
      recordAttempt(task, {
        number: attempt.number,
        worker: attempt.workerName,
        assignedAt: attempt.assignedAt,
        startedAt: attempt.startedAt,
        endedAt: fact.at,
        outcome: fact.kind === 'taskSucceeded' ? 'succeeded' : fact.reason,
      });
    }
  } else {
    if (task.part !== null && task.part.waitsSince > 0) task.part.waitedUntil = fact.at;
    if (fact.kind === 'taskFailed' || fact.kind === 'taskTimedOut') {
      partOf(task).failedBy = fact.reason;
    }
  }
  switch (fact.kind) {
    case 'taskSucceeded':
      task.output = fact.output;
      return endTask(task, 'SUCCEEDED');
    case 'taskRetryAt':
      task.charged++;
      task.error = fact.error;
      task.dueAt = fact.dueAt;
      if (fact.memoryMb > 0) task.shape = withMemory(task.shape, fact.memoryMb);
      // A wait that went wrong begins anew.
      if (task.part !== null) {
        task.part.waitsSince = 0;
        task.part.waitedUntil = 0;
        task.part.nested = null;
      }
      return moveTask(task, 'PENDING');
    case 'taskRequeued':
      return moveTask(task, task.run.state === 'PAUSED' ? 'PENDING' : 'QUEUED');
    case 'taskFailed':
      task.charged++;
      task.error = fact.error;
      return endTask(task, 'FAILED');
    case 'taskTimedOut':
      task.charged++;
      task.error = fact.error;
      return endTask(task, 'TIMED_OUT');
    case 'taskQuarantined':
      task.charged++;
      task.error = fact.error;
      return endTask(task, 'QUARANTINED');
    case 'taskCancelled':
      return endTask(task, 'CANCELLED');
    case 'taskSkipped':
      return endTask(task, 'SKIPPED');
    default:
      return assertNever(fact);
  }
}

function foldEnded(book: Book, fact: RunEnded): void {
  const run = runOf(book, fact.seq);
  invariant(isTerminalRun(fact.state), 'I3', 'a run ended in a state that is not terminal');
  foldOutcome(book, fact.last, true);
  invariant(run.openTasks === 0, 'I3', 'a run ended before its tasks');
  moveRun(run, fact.state);
  removeRun(book, run);
}

/** Takes the run out of the book: it has ended, or was never accepted. */
export function removeRun(book: Book, run: Run): void {
  book.runs.delete(run.seq);
  if (book.windowRuns.size > 0) forgetWindowRun(book, run.seq);
  if (run.input !== null) book.inputBytes -= run.inputBytes;
  if (run.head.unique === undefined) return;
  const key = uniqueKey(run.spec.tenant, run.spec.job, run.head.unique);
  if (book.uniques.get(key) === run) book.uniques.delete(key);
}

function taskOf(book: Book, seq: number, index: number): Task {
  const task = runOf(book, seq).tasks[index];
  invariant(task !== undefined, 'I16', `a fact about task ${seq}/${index}, which does not exist`);
  return task;
}

function liveTask(book: Book, fact: { seq: number; task: number; attempt: number }): Task {
  const task = taskOf(book, fact.seq, fact.task);
  invariant(task.attempt?.number === fact.attempt, 'I15', 'a report of a superseded attempt');
  return task;
}
