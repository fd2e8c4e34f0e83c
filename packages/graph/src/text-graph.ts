import { drawText, type TextStyle } from './draw-text.ts';
import { folded } from './fold.ts';
import { type Graph, layersOf, neighboursOf } from './graph.ts';

/** More than this many boxes are no picture any more. */
const BOXES_MAX = 40;

const asIs = (text: string): string => text;
const COLOURLESS = { bold: asIs, dim: asIs, ofState: () => asIs };

export interface TextGraphParams {
  /** How wide it may be; without end where nobody looks at it on a terminal. */
  readonly columns: number;
  readonly isAscii: boolean;
  readonly style: TextStyle;
}

/** The graph as text that fits: turned, then folded, and at last as a list of its layers. */
export function textGraph(graph: Graph, { columns, isAscii, style }: TextGraphParams): string[] {
  let last = Number.POSITIVE_INFINITY;
  for (let max = BOXES_MAX; max >= 5; max = Math.floor(max / 2)) {
    const shown = folded(graph, max);
    if (shown.boxes.length === last) continue;
    last = shown.boxes.length;
    if (last > BOXES_MAX) break;
    for (const direction of ['right', 'down'] as const) {
      // Measured without colours, which have no width.
      const lines = drawText(shown, { direction, isAscii, style: { ...style, ...COLOURLESS } });
      const width = Math.max(...lines.map((line) => [...line].length));
      if (width <= columns) return drawText(shown, { direction, isAscii, style });
    }
  }
  return layerLines(graph, columns, isAscii);
}

/** One line for each layer, with as many names as there is room for. */
function layerLines(graph: Graph, columns: number, isAscii: boolean): string[] {
  const layers = layersOf(neighboursOf(graph.boxes.length, graph.edges));
  const names: string[][] = [];
  for (const [box, layer] of layers.entries()) {
    names[layer] ??= [];
    names[layer]?.push(graph.boxes[box]?.name ?? '');
  }
  return names.map((all, layer) => {
    const line = `${layer + 1}. ${all.length} task${all.length === 1 ? '' : 's'}: ${all.join(', ')}`;
    const more = isAscii ? '..' : '…';
    return line.length <= columns ? line : `${line.slice(0, columns - more.length)}${more}`;
  });
}
