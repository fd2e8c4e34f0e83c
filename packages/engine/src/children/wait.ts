import type { Core } from '../core/core.ts';
import { oweCancel } from '../core/nested-words.ts';
import { settle } from '../core/settle.ts';
import { taskFailed, taskSkipped, taskSucceeded, taskTimedOut } from '../facts/facts.ts';
import { taskWaiting } from '../facts/graph-facts.ts';
import { encodeText } from '../facts/text.ts';
import { assertNever } from '../model/assert.ts';
import type { WaitSpec } from '../model/graph-spec.ts';
import type { Run, Task } from '../model/run.ts';
import { findKept, take } from './hear.ts';
import { of } from './of.ts';
import type { GraphPorts } from './ports.ts';

/** A wait begins: its time counts from here, durably, and no worker is held (EXT-16). */
export function beginWait(core: Core, task: Task, ports: GraphPorts): void {
  const { partition, seq } = task.run;
  const wait = waitOf(task);
  const kept = wait.kind === 'event' ? findKept(task, ports) : null;
  if (kept === 'unknown') return core.tell({ kind: 'loadInput', run: task.run });
  const until = endOf(wait, core.now);
  const fact = taskWaiting({ partition, seq, task: task.index, at: core.now, until });
  core.emit(core.bookOf(task.run), fact, task.run);
  if (kept !== null) return take(core, task, kept);
  if (until > 0 && until <= core.now) return waitOver(core, task);
  watch(core, task);
}

function endOf(wait: WaitSpec, now: number): number {
  switch (wait.kind) {
    case 'sleep':
      return wait.until > 0 ? wait.until : now + wait.forMs;
    case 'approval':
    case 'event':
      return wait.timeoutMs === null ? 0 : now + wait.timeoutMs;
    case 'run':
      return 0;
    default:
      return assertNever(wait);
  }
}

/** Sets up what ends the wait; also after a take-over, where only the fact is left of it. */
function watch(core: Core, task: Task): void {
  const wait = waitOf(task);
  if (task.dueAt > 0) core.wheel.arm(task, task.dueAt);
  // One that was accepted tells its end by itself.
  if (wait.kind === 'run' && task.part?.nested === null) {
    core.tell({ kind: 'startRun', task, since: task.part.waitsSince });
  }
}

/** Waits of a recovered run go on where they were, and those to come are heard for again. */
export function resumeWaits(core: Core, run: Run): void {
  for (const task of run.tasks) {
    if (task.state === 'PENDING') core.eventWaits.add(task);
    if (isWaiting(task)) watch(core, task);
  }
}

export function isWaiting(task: Task): boolean {
  return task.state === 'PENDING' && task.part !== null && task.part.waitsSince > 0;
}

/** The wait has ended, one way or another, or will never begin: nobody is to wake it any more. */
export function endWait(core: Core, task: Task): void {
  const wait = waitOf(task);
  if (wait.kind === 'event') core.eventWaits.delete(task);
  const hasBegun = task.part !== null && task.part.waitsSince > 0;
  if (wait.kind === 'run' && hasBegun && task.state === 'CANCELLED') oweCancel(core, task);
}

/** Its time is up: a sleep is over, an approval or an event did not come. */
export function waitOver(core: Core, task: Task): void {
  const wait = waitOf(task);
  switch (wait.kind) {
    case 'sleep':
      return settle(core, task, taskSucceeded({ ...of(core, task), output: null }));
    case 'approval':
      if (wait.byDefault === null)
        return timedOut(core, task, 'nobody approved or rejected the task in time');
      return decide(core, task, { decision: wait.byDefault, by: '', comment: '' });
    case 'event':
      if (wait.byDefault === null) return timedOut(core, task, 'the event did not arrive in time');
      if (wait.byDefault === 'skip') {
        return settle(core, task, taskSkipped({ ...of(core, task), reason: 'timeout' }));
      }
      return settle(core, task, taskSucceeded({ ...of(core, task), output: null }));
    case 'run':
      return;
    default:
      assertNever(wait);
  }
}

/** A person has decided, or silence has. Who, when and why become the task's output. */
export function decide(
  core: Core,
  task: Task,
  { decision, by, comment }: { decision: 'approve' | 'reject'; by: string; comment: string },
): void {
  const who = by === '' ? 'by default after the timeout' : `by ${by}`;
  if (decision === 'reject') {
    const error = `rejected ${who}${comment === '' ? '' : `: ${comment}`}`;
    return settle(core, task, taskFailed({ ...of(core, task), reason: 'rejected', error }));
  }
  const said = { decision, by: by === '' ? null : by, atMs: core.now, comment };
  const output = encodeText(JSON.stringify(said));
  settle(core, task, taskSucceeded({ ...of(core, task), output }));
}

function timedOut(core: Core, task: Task, error: string): void {
  settle(core, task, taskTimedOut({ ...of(core, task), reason: 'timeout', error }));
}

export function waitOf(task: Task): WaitSpec {
  return task.spec.step.wait as WaitSpec;
}
