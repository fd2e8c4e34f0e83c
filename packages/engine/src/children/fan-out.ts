import type { Core } from '../core/core.ts';
import { settle } from '../core/settle.ts';
import { taskFailed } from '../facts/facts.ts';
import { taskFannedOut } from '../facts/graph-facts.ts';
import { decodeText } from '../facts/text.ts';
import { isFannedOut } from '../model/graph.ts';
import type { Task } from '../model/run.ts';
import { groupValueAt } from './group-output.ts';
import { memberAt } from './member-at.ts';
import { pauseRun } from './pause.ts';

/**
 * Makes the children that a parent's output asks for (DAG-06). Above the limit the run is paused
 * instead, and nothing is made: its owner raises the limit or cancels (DAG-08).
 */
export function fanOut(core: Core, task: Task): void {
  const { run, index } = task;
  const { partition, seq } = run;
  const of = { partition, seq, task: index, at: core.now };
  const { from, path } = task.spec.step.fanOut as { from: number; path: string };
  const parent = run.tasks[from] as Task;
  const wanted = parent.state === 'SUCCEEDED' ? childCount(parent, path) : 0;
  if (typeof wanted === 'string') {
    const error = `the output of ${parent.spec.name} ${wanted}`;
    return settle(core, task, taskFailed({ ...of, attempt: 0, reason: 'permanent', error }));
  }
  const max = run.graph?.fanOutMax || run.spec.graph.fanOutMax;
  const room = core.settings.runTasksMax - run.tasks.length;
  if (wanted > max || wanted > room) {
    const limit = wanted > max ? `of ${max} for a fan-out` : `of tasks of a run (${room} left)`;
    const detail = `${task.spec.name} asks for ${wanted} children, above the limit ${limit}`;
    return pauseRun(core, run, { by: '', why: 'fan_out_limit', detail });
  }
  core.emit(core.bookOf(run), taskFannedOut({ ...of, count: wanted }), run);
  if (wanted === 0) core.unblocked.push(task);
  const first = task.part?.firstChild ?? 0;
  for (let i = 0; i < wanted; i++) core.unblocked.push(run.tasks[first + i] as Task);
}

/** How many children, or what is wrong with the output. */
function childCount(parent: Task, path: string): number | string {
  const value = isFannedOut(parent) ? groupValueAt(parent, path) : valueAt(parent.output, path);
  if (value === undefined) return path === '' ? 'is no JSON' : `has no ${path}, or is no JSON`;
  if (Array.isArray(value)) return value.length;
  const total = typeof value === 'object' && value !== null ? (value as Total).total : value;
  if (typeof total === 'number' && Number.isSafeInteger(total) && total >= 0) return total;
  return 'is neither a list, nor a number, nor an object with a total';
}

interface Total {
  readonly total?: unknown;
}

/** The value at a path of an output; undefined where there is none, or the output is no JSON. */
function valueAt(output: Uint8Array | null, path: string): unknown {
  if (output === null) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(decodeText(output));
  } catch {
    return undefined;
  }
  return memberAt(value, path);
}
