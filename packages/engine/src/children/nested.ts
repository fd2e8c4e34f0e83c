import { type Answer, type Command, DONE } from '../commands.ts';
import type { Core } from '../core/core.ts';
import { oweCancel, oweRaise } from '../core/nested-words.ts';
import { settle } from '../core/settle.ts';
import { taskFailed, taskSucceeded } from '../facts/facts.ts';
import { nestedStarted } from '../facts/graph-facts.ts';
import type { Task } from '../model/run.ts';
import { of } from './of.ts';
import { isWaiting } from './wait.ts';

/** One wait of one task: said of an earlier one, a word is too late. */
interface OfWait {
  readonly partition: number;
  readonly seq: number;
  readonly task: number;
  readonly since: number;
}

/** The nested run is accepted, durably; from here on it tells its end by itself. */
export function nestedBegun(core: Core, command: Command & { kind: 'nestedBegun' }): Answer {
  const task = waitingTask(core, command);
  if (task === null || task.part?.nested !== null) return DONE;
  remember(core, task, command.run);
  // Raised while it was on its way.
  if (task.run.class < command.class) oweRaise(core, task);
  return DONE;
}

/** It cannot be started, and never could be. A submission of an earlier owner may still be on its way. */
export function nestedRefused(core: Core, command: Command & { kind: 'nestedRefused' }): Answer {
  const task = waitingTask(core, command);
  if (task === null || task.part?.nested !== null) return DONE;
  oweCancel(core, task);
  const { error } = command;
  settle(core, task, taskFailed({ ...of(core, task), reason: 'nested_failed', error }));
  return DONE;
}

/**
 * The nested run has ended; its end is the task's. Where an approval of it was not given, the task is a gate
 * that stays closed: otherwise moving a gate into a nested run would open it.
 */
export function nestedEnded(core: Core, command: Command & { kind: 'nestedEnded' }): Answer {
  const task = waitingTask(core, command);
  if (task === null) return DONE;
  const { state, output, run } = command;
  // The id under which the inbox took it in was only a stand-in.
  if (task.part?.nested !== run) remember(core, task, run);
  const { wait } = task.spec.step;
  const isClosed = command.isGateClosed && wait?.kind === 'run' && wait.onReject === 'stop';
  if (!isClosed && (state === 'SUCCEEDED' || state === 'PARTIAL')) {
    settle(core, task, taskSucceeded({ ...of(core, task), output }));
  } else {
    const error = `the run ${run} ended as ${state}${command.error}`;
    const reason = isClosed ? 'nested_rejected' : 'nested_failed';
    settle(core, task, taskFailed({ ...of(core, task), reason, error }));
  }
  return DONE;
}

function remember(core: Core, task: Task, run: string): void {
  const { partition, seq } = task.run;
  const fact = nestedStarted({ partition, seq, task: task.index, at: core.now, run });
  core.emit(core.bookOf(task.run), fact, task.run);
}

function waitingTask(core: Core, { partition, seq, task: index, since }: OfWait): Task | null {
  const task = core.books.get(partition)?.runs.get(seq)?.tasks[index];
  if (task === undefined || !isWaiting(task) || task.spec.step.wait?.kind !== 'run') return null;
  return task.part?.waitsSince === since ? task : null;
}
