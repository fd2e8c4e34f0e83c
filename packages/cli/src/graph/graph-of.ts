import type { Box, BoxKind, Edge, Graph } from '@signalbox/graph';
import { type JobDefinition, parseDuration, type TaskDefinition } from '@signalbox/protocol';
import { span } from '../print/times.ts';

/** The graph that a definition describes. */
export function graphOf(definition: JobDefinition): Graph {
  const tasks = definition.tasks ?? [{}];
  const names = tasks.map((task, i) => nameOf(task, i, tasks.length));
  const positions = new Map(names.map((name, i) => [name, i]));
  const edges = tasks.flatMap(({ after = [] }, to) =>
    after.flatMap((parent): Edge[] => {
      const from = positions.get(parent);
      return from === undefined ? [] : [[from, to]];
    }),
  );
  return { boxes: tasks.map((task, i) => boxOf(task, names[i] as string)), edges };
}

/** The names that a node gives where the author gave none. */
function nameOf(task: TaskDefinition, i: number, count: number): string {
  return task.name ?? (count === 1 ? 'main' : `task${i}`);
}

function boxOf(task: TaskDefinition, name: string): Box {
  const notes = [workNote(task), task.when === undefined ? '' : `if ${task.when}`];
  return { name, kind: kindOf(task), notes: notes.filter((note) => note !== ''), count: 1 };
}

export function kindOf(task: TaskDefinition): BoxKind {
  if (task.sleep !== undefined) return 'sleep';
  if (task.approval !== undefined) return 'approval';
  if (task.event !== undefined) return 'event';
  if (task.run !== undefined) return 'run';
  if (task.fanOut !== undefined) return 'fanOut';
  return task.dynamic === true ? 'dynamic' : 'work';
}

/** What sets the task apart from plain work, in a few words. */
function workNote(task: TaskDefinition): string {
  const { sleep, approval, event, run, fanOut, dynamic } = task;
  if (sleep?.for !== undefined) return `sleep for ${span(parseDuration(sleep.for))}`;
  if (sleep !== undefined) return `sleep until ${sleep.until}`;
  if (approval !== undefined) return 'approval';
  if (event !== undefined) return `event ${event.type}`;
  if (run !== undefined) return `run of ${run.job}`;
  if (fanOut !== undefined) {
    const { from = 'input', path = '' } = fanOut;
    return `for each of ${from}${path === '' ? '' : `.${path}`}`;
  }
  if (dynamic === true) return 'adds tasks';
  return '';
}
