import type { JobDefinition } from '@signalbox/protocol';
import type { TaskRow } from '../print/task-rows.ts';
import type { Box, Graph } from './graph.ts';
import { graphOf } from './graph-of.ts';

/** The graph of a job as one of its runs has come through it. */
export function runGraph(definition: JobDefinition, rows: readonly TaskRow[]): Graph {
  const graph = graphOf(definition);
  const byName = new Map(rows.map((row) => [row.name, row]));
  const declared = graph.boxes.map((box): Box => {
    const row = byName.get(box.name);
    byName.delete(box.name);
    return row === undefined ? box : { ...box, state: row.state, notes: notesOf(row) };
  });
  // What was added at run time is not in the definition: it is shown, and stands by itself.
  const added = [...byName.values()].map((row): Box => {
    return { name: row.name, kind: 'work', notes: notesOf(row), count: 1, state: row.state };
  });
  return { boxes: [...declared, ...added], edges: graph.edges };
}

function notesOf({ state, tally }: TaskRow): string[] {
  return tally === null ? [state] : [state, tally];
}
