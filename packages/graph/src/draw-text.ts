import { Canvas, type Point } from './canvas.ts';
import { channelDepth, channelsOf, drawChannel } from './channels.ts';
import type { Box, Graph } from './graph.ts';
import { layOut } from './layout.ts';
import type { BoxState } from './states.ts';
import { Turned } from './turned.ts';

/** Layers from left to right, or from top to bottom. */
export type Direction = 'right' | 'down';

type Style = (text: string) => string;

export interface TextStyle {
  readonly bold: Style;
  readonly dim: Style;
  /** Text in the colour of a state. */
  readonly ofState: (state: BoxState) => Style;
  /** Makes control characters of names and notes visible, before text is measured and cut. */
  readonly escape: Style;
}

export interface TextParams {
  readonly direction: Direction;
  readonly isAscii: boolean;
  readonly style: TextStyle;
}

const NAME_MAX = 28;

/** The graph as lines of text, boxes and all. */
export function drawText(graph: Graph, params: TextParams): string[] {
  const { direction, isAscii, style } = params;
  const isDown = direction === 'down';
  const labels = graph.boxes.map((box) => labelOf(box, params));
  const extents = labels.map((lines) => ({
    width: odd(Math.max(...lines.map((line) => [...line].length)) + 4),
    height: lines.length + 2,
  }));
  const layout = layOut(graph, {
    sizeOf: (box) => (isDown ? (extents[box]?.width ?? 1) : odd(extents[box]?.height ?? 1)),
    gap: isDown ? 2 : 0,
    passing: 1,
  });
  const { ports, channels } = channelsOf(layout);
  const deep = (slot: number): number => {
    const extent = extents[layout.slots[slot]?.box ?? -1];
    return (isDown ? extent?.height : extent?.width) ?? 1;
  };
  const depths = layout.layers.map((layer) => Math.max(...layer.map(deep)));
  const starts = depths.map(() => 0);
  for (let i = 1; i < starts.length; i++) {
    const between = channelDepth(channels[i - 1]?.tracks ?? 0, isDown);
    starts[i] = (starts[i - 1] ?? 0) + (depths[i - 1] ?? 0) + between;
  }
  const main = (starts.at(-1) ?? 0) + (depths.at(-1) ?? 0);
  const across = ports.reduce((far, port, slot) => {
    return Math.max(far, port + Math.ceil((layout.slots[slot]?.size ?? 1) / 2) + 1);
  }, 1);
  const canvas = new Canvas(isDown ? across : main, isDown ? main : across);
  const draw = new Turned(canvas, isDown);
  for (const [i, channel] of channels.entries()) {
    const from = (starts[i] ?? 0) + (depths[i] ?? 0);
    drawChannel(draw, channel, { from, to: starts[i + 1] ?? 0, isDown, isAscii });
  }
  for (const [slot, { box, layer }] of layout.slots.entries()) {
    const port = ports[slot] as number;
    const from = starts[layer] ?? 0;
    const to = from + (depths[layer] ?? 1) - 1;
    if (box === null) draw.line([from - 1, port], [to + 1, port]);
    else {
      const { width, height } = extents[box] as { width: number; height: number };
      const lines = labels[box] as string[];
      const name = nameStyle(graph.boxes[box] as Box, style);
      const rect = isDown
        ? { x: port - (width - 1) / 2, y: from, width, height: to - from + 1 }
        : { x: from, y: port - Math.floor((height - 1) / 2), width: to - from + 1, height };
      drawBox(canvas, rect, { lines, name, dim: style.dim });
    }
  }
  return withoutEmptyEnds(canvas.rows(isAscii));
}

function drawBox(
  canvas: Canvas,
  { x, y, width, height }: { x: number; y: number; width: number; height: number },
  { lines, name, dim }: { lines: readonly string[]; name: Style; dim: Style },
): void {
  const [right, bottom] = [x + width - 1, y + height - 1];
  const corners = [
    [x, y],
    [right, y],
    [right, bottom],
    [x, bottom],
  ] as const;
  for (const [i, corner] of corners.entries()) canvas.line(corner, corners[(i + 1) % 4] as Point);
  for (let row = y; row <= bottom; row++) for (const at of [x, right]) canvas.join([at, row]);
  for (let at = x; at <= right; at++) for (const row of [y, bottom]) canvas.join([at, row]);
  for (const [i, line] of lines.entries()) {
    canvas.text([x + 2, y + 1 + i], line, i === 0 ? name : dim);
  }
}

function withoutEmptyEnds(rows: readonly string[]): string[] {
  const first = rows.findIndex((row) => row !== '');
  return rows.slice(first, rows.findLastIndex((row) => row !== '') + 1);
}

/** Names and notes come from users: they must neither break the drawing nor control the terminal. */
function labelOf({ name, notes }: Box, { isAscii, style }: TextParams): string[] {
  const more = isAscii ? '..' : '…';
  return [name, ...notes].map((text) => {
    const chars = [...style.escape(text.replaceAll(/\s+/g, ' ')).replaceAll('…', more)];
    if (chars.length <= NAME_MAX) return chars.join('');
    return `${chars.slice(0, NAME_MAX - more.length).join('')}${more}`;
  });
}

function nameStyle({ state }: Box, style: TextStyle): Style {
  return state === undefined ? style.bold : style.ofState(state);
}

const odd = (value: number): number => value + 1 - (value % 2);
