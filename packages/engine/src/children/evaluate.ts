import type { Core } from '../core/core.ts';
import { makeReady } from '../core/enqueue.ts';
import { settle } from '../core/settle.ts';
import { taskFailed, taskSkipped, taskSucceeded } from '../facts/facts.ts';
import {
  childrenOf,
  PARENT_CLOSED,
  PARENT_FAILED,
  PARENT_SKIPPED,
  partOf,
  type TaskPart,
} from '../model/graph.ts';
import { PLAIN } from '../model/graph-spec.ts';
import type { Task } from '../model/run.ts';
import { fanOut } from './fan-out.ts';
import { groupResult } from './group-output.ts';
import { of } from './of.ts';
import type { GraphPorts } from './ports.ts';
import { lacksInput, scopeOf, unseenBy } from './scope.ts';
import { cancelOf } from './task-ended.ts';
import { beginWait } from './wait.ts';

/**
 * Decides what becomes of a task that waits for no other any more: skipped or cancelled with its
 * parents, skipped by its condition, fanned out, waiting, or ready. Asking again changes nothing,
 * so whoever doubts may ask (DAG-22, DAG-26).
 */
export function evaluate(core: Core, task: Task, ports: GraphPorts): void {
  const { run, spec } = task;
  if (task.state !== 'PENDING' || task.waitsFor > 0) return;
  if (run.doomed || run.state === 'PAUSED') return;
  if (task.attempts > 0) return makeReady(core, task);
  if (task.part !== null && decidedByPart(core, task, task.part)) return;
  if (task.dueAt > core.now) return core.wheel.arm(task, task.dueAt);
  if (spec.step === PLAIN) return release(core, task);
  if (spec.step.when !== null && !conditionHolds(core, task, ports)) return;
  if (spec.step.fanOut !== null) return fanOut(core, task);
  if (spec.step.wait !== null) return beginWait(core, task, ports);
  release(core, task);
}

/** What its place in the graph says; false where it says nothing. */
function decidedByPart(core: Core, task: Task, part: TaskPart): boolean {
  if (part.waitsSince > 0 || part.paced) return true;
  if (part.firstChild >= 0) {
    endGroup(core, task, part);
    return true;
  }
  if (part.group !== null) {
    release(core, task);
    return true;
  }
  const stopped =
    task.run.spec.graph.failurePolicy === 'SKIP_FAILED' ? PARENT_CLOSED : PARENT_FAILED;
  if ((part.blocked & stopped) !== 0) {
    settle(core, task, cancelOf(core, task));
    return true;
  }
  if ((part.blocked & PARENT_SKIPPED) === 0) return false;
  settle(core, task, taskSkipped({ ...of(core, task), reason: 'parent_skipped' }));
  return true;
}

/**
 * All children have ended (DAG-07). Failures are told to whoever comes after, where they are allowed; where
 * nothing comes after, what the children gave is the output of the fan-out.
 */
function endGroup(core: Core, task: Task, part: TaskPart): void {
  const { childrenFailed: failed, childCount: count } = part;
  const tolerated = task.run.spec.graph.failurePolicy === 'SKIP_FAILED' && failed < count;
  if (failed === 0 || tolerated) {
    const output = childrenOf(task).length === 0 ? groupResult(task) : null;
    return settle(core, task, taskSucceeded({ ...of(core, task), output }));
  }
  const error = `${failed} of ${count} children did not succeed`;
  settle(core, task, taskFailed({ ...of(core, task), reason: 'children_failed', error }));
}

function conditionHolds(core: Core, task: Task, ports: GraphPorts): boolean {
  const { run } = task;
  if (lacksInput(run)) {
    core.tell({ kind: 'loadInput', run });
    return false;
  }
  const judged = ports.judge(task.spec.step.when as string, scopeOf(task));
  if ('error' in judged) {
    const error = `the condition of the task cannot be evaluated: ${judged.error}${unseenBy(task)}`;
    settle(core, task, taskFailed({ ...of(core, task), reason: 'invalid_condition', error }));
    return false;
  }
  if (!judged.value) settle(core, task, taskSkipped({ ...of(core, task), reason: 'condition' }));
  return judged.value;
}

/** Ready; at a pace where its run has very many of them. */
export function release(core: Core, task: Task): void {
  const { run } = task;
  const slowest = Math.min(run.spec.graph.readyPerSecond, core.settings.readyPerSecond);
  if (run.tasks.length <= slowest) return makeReady(core, task);
  partOf(task).paced = true;
  core.pacer.add(task, core.now);
  if (core.pacer.timerBucket === null) core.wheel.arm(core.pacer, core.now);
}

/** The time of the pacer has come: what it lets go becomes ready. */
export function releasePaced(core: Core): void {
  for (const task of core.pacer.take(core.now)) {
    partOf(task).paced = false;
    if (task.state === 'PENDING') makeReady(core, task);
  }
  const at = core.pacer.nextAt(core.now);
  if (at !== null) core.wheel.arm(core.pacer, at);
}
