import type { Core } from '../core/core.ts';
import { settle } from '../core/settle.ts';
import { taskFailed } from '../facts/facts.ts';
import { taskFannedOut } from '../facts/graph-facts.ts';
import { decodeText } from '../facts/text.ts';
import { isFannedOut } from '../model/graph.ts';
import type { Run, Task } from '../model/run.ts';
import { groupValueAt } from './group-output.ts';
import { memberAt } from './member-at.ts';
import { pauseRun } from './pause.ts';
import { lacksInput } from './scope.ts';

/**
 * Makes the children that a parent's output or the run's input asks for (DAG-06). Above the limit the run is paused
 * instead, and nothing is made: its owner raises the limit or cancels (DAG-08).
 */
export function fanOut(core: Core, task: Task): void {
  const { run, index } = task;
  const { partition, seq } = run;
  const of = { partition, seq, task: index, at: core.now };
  const { from, path } = task.spec.step.fanOut as { from: number; path: string };
  const parent = run.tasks[from];
  if (parent === undefined && lacksInput(run)) return core.tell({ kind: 'loadInput', run });
  const wanted = wantedOf(run, parent, path);
  if (typeof wanted === 'string') {
    const what =
      parent === undefined ? 'the input of the run' : `the output of ${parent.spec.name}`;
    const error = `${what} ${wanted}`;
    return settle(core, task, taskFailed({ ...of, attempt: 0, reason: 'permanent', error }));
  }
  const max = run.graph?.fanOutMax || run.spec.graph.fanOutMax;
  const room = core.settings.runTasksMax - run.tasks.length;
  if (wanted > max || wanted > room) {
    const limit =
      wanted > max ? `of ${max} for a fan-out` : `for the tasks of a run (${room} left)`;
    const detail = `${task.spec.name} asks for ${wanted} children, which exceeds the limit ${limit}`;
    return pauseRun(core, run, { by: '', why: 'fan_out_limit', detail });
  }
  core.emit(core.bookOf(run), taskFannedOut({ ...of, count: wanted }), run);
  if (wanted === 0) core.unblocked.push(task);
  const first = task.part?.firstChild ?? 0;
  for (let i = 0; i < wanted; i++) core.unblocked.push(run.tasks[first + i] as Task);
}

/** Nothing where its parent gave nothing and the task runs all the same. */
function wantedOf(run: Run, parent: Task | undefined, path: string): number | string {
  if (parent === undefined) return childCount(valueAt(run.input, path), path);
  if (parent.state !== 'SUCCEEDED') return 0;
  const isGroup = isFannedOut(parent);
  return childCount(isGroup ? groupValueAt(parent, path) : valueAt(parent.output, path), path);
}

/** How many children, or what is wrong with the value. */
function childCount(value: unknown, path: string): number | string {
  if (value === undefined) return path === '' ? 'is not JSON' : `has no ${path}, or is not JSON`;
  if (Array.isArray(value)) return value.length;
  const total = typeof value === 'object' && value !== null ? (value as Total).total : value;
  if (typeof total === 'number' && Number.isSafeInteger(total) && total >= 0) return total;
  return 'is not a list, a whole number or an object with a total';
}

interface Total {
  readonly total?: unknown;
}

/** The value at a path; undefined where there is none, or the bytes are no JSON. */
function valueAt(bytes: Uint8Array | null, path: string): unknown {
  if (bytes === null) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(decodeText(bytes));
  } catch {
    return undefined;
  }
  return memberAt(value, path);
}
