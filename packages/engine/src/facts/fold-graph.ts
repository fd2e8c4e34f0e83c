import { assertNever, invariant } from '../model/assert.ts';
import type { Book } from '../model/book.ts';
import {
  eventsOf,
  type Growth,
  graphOf,
  isFannedOut,
  parentEnded,
  partOf,
} from '../model/graph.ts';
import { type Run, Task } from '../model/run.ts';
import { taskSpecs } from '../model/spec.ts';
import { isTerminalTask } from '../model/states.ts';
import type { GraphFact, TakenOver } from './graph-facts.ts';
import { endTask, moveRun, moveTask, runOf } from './moves.ts';

/** How the graph of a run changes; part of `fold`. */
export function foldGraph(book: Book, fact: GraphFact): void {
  switch (fact.kind) {
    case 'notificationDue':
      book.notifications.set(fact.notification.id, { seq: fact.seq, ...fact.notification });
      return;
    case 'notificationDone':
      book.notifications.delete(fact.id);
      return;
    case 'runPaused': {
      const run = runOf(book, fact.seq);
      const { by, why, detail } = fact;
      const unbegun = run.state === 'PENDING' ? ({ unbegun: true } as const) : {};
      moveRun(run, 'PAUSED');
      graphOf(run).paused = { by, why, detail, ...unbegun };
      for (const task of run.tasks) if (task.state === 'QUEUED') moveTask(task, 'PENDING');
      return;
    }
    case 'runResumed': {
      const run = runOf(book, fact.seq);
      moveRun(run, fact.state ?? 'RUNNING');
      const graph = graphOf(run);
      graph.paused = null;
      if (fact.fanOutMax > 0) graph.fanOutMax = fact.fanOutMax;
      return;
    }
    case 'taskFannedOut':
      return grow(runOf(book, fact.seq), ['fanOut', fact.task, fact.count]);
    case 'tasksAdded':
      return grow(runOf(book, fact.seq), ['added', fact.task, fact.tasks, fact.edges]);
    case 'tasksTakenOver':
      return takeOver(runOf(book, fact.seq), fact.tasks);
    case 'taskWaiting': {
      const run = runOf(book, fact.seq);
      const task = taskOf(run, fact.task);
      // Somebody or something has been asked: the run has begun, whether or not a worker has.
      if (run.state === 'PENDING') moveRun(run, 'RUNNING');
      partOf(task).waitsSince = fact.at;
      task.dueAt = fact.until;
      return;
    }
    case 'nestedStarted':
      partOf(taskOf(runOf(book, fact.seq), fact.task)).nested = fact.run;
      return;
    case 'eventKept': {
      const { key, type, event, suits } = fact;
      return eventsOf(runOf(book, fact.seq)).keep({ key, type, event, suits });
    }
    case 'eventTaken':
      return eventsOf(runOf(book, fact.seq)).take(fact.key);
    default:
      return assertNever(fact);
  }
}

/** Makes the tasks that a run did not have when it was submitted; also when a checkpoint is read. */
export function grow(run: Run, growth: Growth): void {
  graphOf(run).growth.push(growth);
  if (growth[0] === 'fanOut') addChildren(run, growth[1], growth[2]);
  else addTasks(run, growth);
}

function addChildren(run: Run, index: number, count: number): void {
  const group = taskOf(run, index);
  invariant(!isFannedOut(group), 'I12', `task ${run.seq}/${index} fans out twice`);
  const part = partOf(group);
  part.firstChild = run.tasks.length;
  part.childCount = count;
  group.waitsFor = count;
  for (let i = 0; i < count; i++) {
    const child = new Task(run, run.tasks.length, group.spec);
    const own = partOf(child);
    own.group = group;
    own.partition = i;
    child.waitsFor = 0;
    run.tasks.push(child);
  }
  run.openTasks += count;
}

function addTasks(run: Run, [, , definitions, edges]: Growth & { readonly 0: 'added' }): void {
  const first = run.tasks.length;
  const names = run.tasks.map((task) => (task.part?.group == null ? task.spec.name : ''));
  const specs = taskSpecs(definitions, names);
  for (const [i, spec] of specs.entries()) {
    const task = new Task(run, first + i, spec);
    run.tasks.push(task);
    for (const parent of spec.after) {
      // Only the run knows: the spec of an old task belongs to all runs of its version.
      if (parent < first) link(taskOf(run, parent), task, false);
      settleParent(task, taskOf(run, parent));
    }
  }
  run.openTasks += specs.length;
  for (const [from, to] of edges) {
    const [parent, child] = [taskOf(run, from), taskOf(run, to)];
    link(parent, child, true);
    child.waitsFor++;
    settleParent(child, parent);
  }
}

function link(parent: Task, child: Task, both: boolean): void {
  const part = partOf(parent);
  part.addedBefore ??= [];
  part.addedBefore.push(child.index);
  if (!both) return;
  const own = partOf(child);
  own.addedAfter ??= [];
  own.addedAfter.push(parent.index);
}

function settleParent(child: Task, parent: Task): void {
  if (isTerminalTask(parent.state)) parentEnded(child, parent);
}

function takeOver(run: Run, tasks: readonly TakenOver[]): void {
  graphOf(run);
  for (const { task: index, state, error, output, failedBy } of tasks) {
    const task = taskOf(run, index);
    if (failedBy !== undefined) partOf(task).failedBy = failedBy;
    task.error = error;
    task.output = output;
    endTask(task, state, true);
  }
}

function taskOf(run: Run, index: number): Task {
  const task = run.tasks[index];
  invariant(
    task !== undefined,
    'I16',
    `a fact about task ${run.seq}/${index}, which does not exist`,
  );
  return task;
}
