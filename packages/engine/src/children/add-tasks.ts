import { aboutTask } from '../core/alert.ts';
import type { Core } from '../core/core.ts';
import { notify } from '../core/notify.ts';
import { tasksAdded } from '../facts/graph-facts.ts';
import { findCycle } from '../model/find-cycle.ts';
import { isFannedOut, parentsOf } from '../model/graph.ts';
import { findChildName } from '../model/grown-names.ts';
import type { Run, Task } from '../model/run.ts';
import type { Addition, GraphPorts } from './ports.ts';

/**
 * The output of a dynamic task adds tasks and edges (DAG-20), under the checks that a definition
 * passes when it is saved. Answers why not, and then nothing has changed but that the step fails
 * (DAG-03). Decided before the task's own end: the last task of a run may still make it longer.
 */
export function addTasks(
  core: Core,
  task: Task,
  params: { output: Uint8Array | null; ports: GraphPorts },
): string | null {
  const { run, index } = task;
  // A run that is being cancelled grows no more; that is no fault of the task that succeeded.
  if (params.output === null || run.doomed) return null;
  const read = params.ports.readAddition(run.spec, params.output);
  const planned = 'error' in read ? read.error : plan(core, run, read);
  if (typeof planned === 'string') {
    const about = { ...aboutTask(task), since: core.now, reason: planned };
    core.tell({ kind: 'alert', alert: 'additionRefused', about });
    notify(core, run, { on: 'alert', state: run.state, detail: `${task.spec.name}: ${planned}` });
    return planned;
  }
  const { tasks } = read as Addition;
  if (tasks.length === 0 && planned.length === 0) return null;
  const { partition, seq } = run;
  const first = run.tasks.length;
  const fact = { partition, seq, task: index, at: core.now, tasks, edges: planned };
  core.emit(core.bookOf(run), tasksAdded(fact), run);
  for (const added of run.tasks.slice(first)) {
    core.eventWaits.add(added);
    if (added.waitsFor === 0) core.unblocked.push(added);
  }
  return null;
}

/** The edges between tasks as indexes, or what is wrong. */
function plan(core: Core, run: Run, { tasks, edges }: Addition): [number, number][] | string {
  const limit = Math.min(
    run.graph?.fanOutMax || run.spec.graph.fanOutMax,
    core.settings.runTasksMax - run.tasks.length,
  );
  if (tasks.length > limit) return `${tasks.length} tasks exceed the limit of ${limit}`;
  const names = run.tasks.map((task) => (task.part?.group == null ? task.spec.name : ''));
  const indexOf = new Map(names.map((name, i) => [name, i]));
  indexOf.delete('');
  for (const [i, { name, event }] of tasks.entries()) {
    // Nodes know by the definition which events they have to keep for whom.
    if (event !== undefined && !run.spec.hears.includes(event.type)) {
      return `task ${name} waits for an event of type ${event.type}, which is not in eventTypes of the job`;
    }
    if (name === undefined) return 'every added task needs a name';
    if (indexOf.has(name)) return `two tasks have the name ${name}`;
    indexOf.set(name, names.length + i);
  }
  const clash = findChildName([
    ...run.tasks.flatMap(({ part, spec: { name, step } }) =>
      part?.group == null ? [{ name, isFanOut: step.fanOut !== null }] : [],
    ),
    ...tasks.map(({ name = '', fanOut }) => ({ name, isFanOut: fanOut !== undefined })),
  ]);
  if (clash !== null)
    return `the name ${clash.name} is reserved for a child of the fan-out ${clash.fanOut}`;
  const after = names.map((_, i) => (names[i] === '' ? [] : [...parentsOf(run.tasks[i] as Task)]));
  for (const { name, after: parents = [] } of tasks) {
    const unknown = parents.find((parent) => !indexOf.has(parent));
    if (unknown !== undefined)
      return `task ${name} comes after ${unknown}, which is not a task of the run`;
    after.push(parents.map((parent) => indexOf.get(parent) as number));
  }
  const linked: [number, number][] = [];
  for (const { from, to } of edges) {
    const [parent, child] = [indexOf.get(from), indexOf.get(to)];
    if (parent === undefined || child === undefined) {
      return `the edge from ${from} to ${to} names a task that the run does not have`;
    }
    const waits = run.tasks[child];
    if (waits !== undefined && !canWaitMore(waits)) return `task ${to} has already started`;
    (after[child] as number[]).push(parent);
    linked.push([parent, child]);
  }
  const cycle = findCycle([...names, ...tasks.map(({ name }) => name as string)], after);
  return cycle === null ? linked : `these tasks wait for each other: ${cycle.join(' → ')}`;
}

/** Not looked at yet: another parent still holds it. */
function canWaitMore(task: Task): boolean {
  return task.state === 'PENDING' && task.waitsFor > 0 && !isFannedOut(task);
}
