import type { Box, Edge, Graph } from '@signalbox/graph';
import type { JobDefinition } from '@signalbox/protocol';
import type { TaskRow } from '../print/task-rows.ts';
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
  // What was added at run time is not in the definition: it says itself what it comes after.
  const added = [...byName.values()].map((row): Box => {
    return { name: row.name, kind: 'work', notes: notesOf(row), count: 1, state: row.state };
  });
  const boxes = [...declared, ...added];
  return { boxes, edges: [...graph.edges, ...addedEdges(graph.edges, boxes, rows)] };
}

function addedEdges(
  known: readonly Edge[],
  boxes: readonly Box[],
  rows: readonly TaskRow[],
): Edge[] {
  const positions = new Map(boxes.map(({ name }, i) => [name, i]));
  const drawn = new Set(known.map(([from, to]) => `${from}>${to}`));
  return rows.flatMap(({ name, after }) =>
    (after ?? []).flatMap((parent): Edge[] => {
      const [from, to] = [positions.get(parent), positions.get(name)];
      if (from === undefined || to === undefined || drawn.has(`${from}>${to}`)) return [];
      return [[from, to]];
    }),
  );
}

function notesOf({ state, tally }: TaskRow): string[] {
  return tally === null ? [state] : [state, tally];
}
