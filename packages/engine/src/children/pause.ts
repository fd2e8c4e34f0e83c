import { type Answer, type Command, DONE } from '../commands.ts';
import { aboutRun } from '../core/alert.ts';
import type { Core } from '../core/core.ts';
import { notify } from '../core/notify.ts';
import { runPaused, runResumed } from '../facts/graph-facts.ts';
import type { PauseReason } from '../model/graph.ts';
import { partOf } from '../model/graph.ts';
import type { Run } from '../model/run.ts';
import { drain } from './task-ended.ts';

/** Nothing of the run begins from here on; what runs goes on to its end (DAG-15). */
export function pauseRun(
  core: Core,
  run: Run,
  cause: { by: string; why: PauseReason; detail: string },
): void {
  if (run.state === 'PAUSED') return;
  for (const task of run.tasks) {
    if (task.state !== 'QUEUED') continue;
    if (task.lane !== null) core.queues.remove(task);
    else core.unstall(task);
  }
  for (const task of core.pacer.drop(run)) partOf(task).paced = false;
  const { partition, seq } = run;
  core.emit(core.bookOf(run), runPaused({ partition, seq, at: core.now, ...cause }), run);
  if (cause.why === 'asked') return;
  const about = { ...aboutRun(run), since: core.now, reason: cause.detail };
  core.tell({ kind: 'alert', alert: 'runPaused', about });
  notify(core, run, { on: 'alert', state: 'PAUSED', detail: cause.detail });
}

export function pause(core: Core, command: Command & { kind: 'pauseRun' }): Answer {
  const run = core.books.get(command.partition)?.runs.get(command.seq);
  if (run === undefined) return NO_RUN;
  if (run.cancel !== null)
    return {
      kind: 'refused',
      code: 'invalid',
      message: 'the run is cancelled and cannot be paused',
    };
  pauseRun(core, run, { by: command.by, why: 'asked', detail: command.reason });
  return DONE;
}

/** What was held goes on: tasks that failed for good are tried again, a fan-out looks at its limit anew. */
export function resume(core: Core, command: Command & { kind: 'resumeRun' }): Answer {
  const { partition, seq, by, fanOutMax } = command;
  const book = core.books.get(partition);
  const run = book?.runs.get(seq);
  if (book === undefined || run === undefined) return NO_RUN;
  if (run.state !== 'PAUSED') return DONE;
  // It is RUNNING from its first assignment or wait on, and not because somebody had held it before.
  const state = run.graph?.paused?.unbegun ? ({ state: 'PENDING' } as const) : {};
  core.emit(book, runResumed({ partition, seq, at: core.now, by, fanOutMax, ...state }), run);
  reevaluateRun(core, run);
  return DONE;
}

/** Looks at every task that waits for nothing; what is on its way already is left alone (DAG-26). */
export function reevaluate(core: Core, command: Command & { kind: 'reevaluate' }): Answer {
  const run = core.books.get(command.partition)?.runs.get(command.seq);
  if (run === undefined) return NO_RUN;
  reevaluateRun(core, run);
  return DONE;
}

function reevaluateRun(core: Core, run: Run): void {
  for (const task of run.tasks) {
    if (task.state === 'PENDING' && task.waitsFor === 0) core.unblocked.push(task);
  }
  drain(core);
}

const NO_RUN: Answer = {
  kind: 'refused',
  code: 'not_found',
  message: 'there is no live run with this id',
};
