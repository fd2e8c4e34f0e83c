import { type Box, type Edge, type Graph, layersOf, neighboursOf } from './graph.ts';
import { foremostState } from './states.ts';

/**
 * A graph with at most so many boxes, where that can be had: first tasks that stand in the same place
 * are drawn as one, then those in a row, and at last whole layers.
 */
export function folded(graph: Graph, boxesMax: number): Graph {
  const isSmall = ({ boxes }: Graph): boolean => boxes.length <= boxesMax;
  let folds = graph;
  for (let before = 0; before !== folds.boxes.length && !isSmall(folds); ) {
    before = folds.boxes.length;
    folds = foldSiblings(folds);
    if (!isSmall(folds)) folds = foldRows(folds);
  }
  if (isSmall(folds)) return folds;
  const layered = foldLayers(folds);
  return isSmall(layered) ? layered : foldRows(layered);
}

/** Tasks of one kind with the same parents and the same children. */
function foldSiblings(graph: Graph): Graph {
  const { parents, children } = neighboursOf(graph.boxes.length, graph.edges);
  const keys = graph.boxes.map(
    ({ kind }, i) => `${kind}|${sorted(parents[i])}|${sorted(children[i])}`,
  );
  return merged(graph, keys, '');
}

/** Tasks that follow one another, and nothing else comes in or goes out between them. */
function foldRows(graph: Graph): Graph {
  const { parents, children } = neighboursOf(graph.boxes.length, graph.edges);
  const layers = layersOf({ parents, children });
  const order = graph.boxes.map((_, i) => i).sort((a, b) => (layers[a] ?? 0) - (layers[b] ?? 0));
  const heads = graph.boxes.map((_, i) => i);
  for (const box of order) {
    const [parent, second] = parents[box] ?? [];
    if (parent === undefined || second !== undefined) continue;
    if (children[parent]?.length === 1) heads[box] = heads[parent] as number;
  }
  return merged(graph, heads.map(String), ' in a row');
}

function foldLayers(graph: Graph): Graph {
  const layers = layersOf(neighboursOf(graph.boxes.length, graph.edges));
  return merged(graph, layers.map(String), '');
}

function merged(graph: Graph, keys: readonly string[], how: string): Graph {
  const places = new Map<string, number>();
  const groups: number[][] = [];
  for (const [box, key] of keys.entries()) {
    const place = places.get(key) ?? groups.length;
    places.set(key, place);
    const group = groups[place];
    if (group === undefined) groups.push([box]);
    else group.push(box);
  }
  const placeOf = keys.map((key) => places.get(key) as number);
  const edges = new Map<string, Edge>();
  for (const [from, to] of graph.edges) {
    const [a, b] = [placeOf[from] as number, placeOf[to] as number];
    if (a !== b) edges.set(`${a}>${b}`, [a, b]);
  }
  const boxes = groups.map((group) =>
    mergedBox(
      group.map((i) => graph.boxes[i] as Box),
      how,
    ),
  );
  return { boxes, edges: [...edges.values()] };
}

function mergedBox(boxes: readonly Box[], how: string): Box {
  const [first, last] = [boxes[0] as Box, boxes.at(-1) as Box];
  if (boxes.length === 1) return first;
  const count = boxes.reduce((sum, box) => sum + box.count, 0);
  const state = foremostState(boxes.flatMap((box) => box.state ?? []));
  return {
    name: `${firstName(first)} … ${lastName(last)}`,
    kind: boxes.every(({ kind }) => kind === first.kind) ? first.kind : 'work',
    notes: [`${count} tasks${count === boxes.length ? how : ''}`],
    count,
    ...(state === undefined ? {} : { state }),
  };
}

/** Of a box that stands for several already, its own first and last. */
const firstName = ({ name }: Box): string => name.split(' … ')[0] as string;
const lastName = ({ name }: Box): string => name.split(' … ').at(-1) as string;

function sorted(boxes: readonly number[] = []): string {
  return [...boxes].sort((a, b) => a - b).join(',');
}
