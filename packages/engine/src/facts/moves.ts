import { invariant } from '../model/assert.ts';
import type { Book } from '../model/book.ts';
import { childrenOf, isRunFailure, parentEnded } from '../model/graph.ts';
import type { Run, Task } from '../model/run.ts';
import {
  isTerminalTask,
  RUN_MOVES,
  type RunState,
  TASK_MOVES,
  type TaskState,
} from '../model/states.ts';

/** The one door through which a task changes state. */
export function moveTask(task: Task, to: TaskState): void {
  if (!TASK_MOVES[task.state].includes(to)) {
    const what = isTerminalTask(task.state) ? 'left a terminal state' : 'made an illegal move';
    invariant(false, 'I3', `task ${task.run.seq}/${task.index} ${what}: ${task.state} to ${to}`);
  }
  task.state = to;
}

export function moveRun(run: Run, to: RunState): void {
  invariant(RUN_MOVES[run.state].includes(to), 'I3', `run ${run.seq}: ${run.state} to ${to}`);
  run.state = to;
}

export function runOf(book: Book, seq: number): Run {
  const run = book.runs.get(seq);
  invariant(run !== undefined, 'I16', `a fact about run ${seq}, which is not live`);
  return run;
}

/** `takenOver`: it ended so in another run, and dooms nothing in this one. */
export function endTask(task: Task, state: TaskState, takenOver = false): void {
  moveTask(task, state);
  const { run } = task;
  run.openTasks--;
  if (!takenOver && run.spec.graph.failurePolicy === 'FAIL_FAST' && isRunFailure(task, state)) {
    run.doomed = true;
  }
  if (run.tasks.length === 1) return;
  for (const child of childrenOf(task)) parentEnded(run.tasks[child] as Task, task);
}
