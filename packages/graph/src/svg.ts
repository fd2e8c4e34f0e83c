import { type Box, type Graph, neighboursOf } from './graph.ts';
import { type Layout, layOut } from './layout.ts';
import { SVG_STYLE } from './svg-style.ts';

const CHAR = 7.3;
const NOTE_CHAR = 6.1;
const PAD = 14;
const LINE = 16;
const GAP = 18;
const CHANNEL = 56;
const MARGIN = 20;
const WIDTH_MIN = 72;
const TEXT_MAX = 44;

/** The graph as a picture of its own: layers from left to right, light and dark, with words for those who cannot see it. */
export function svg(graph: Graph, { title }: { title: string }): string {
  const labels = graph.boxes.map(({ name, notes }) => [name, ...notes].map(shortened));
  const heights = labels.map((lines) => PAD * 1.4 + lines.length * LINE);
  const widths = labels.map((lines) => Math.max(WIDTH_MIN, ...lines.map(widthOf)) + PAD * 2);
  const layout = layOut(graph, { sizeOf: (box) => heights[box] ?? 0, gap: GAP, passing: 2 });
  const columns = columnsOf(layout, widths);
  const height = Math.max(...layout.slots.map(({ middle, size }) => middle + size / 2));
  const last = columns.at(-1) as Column;
  const [w, h] = [last.x + last.width + MARGIN, height + MARGIN * 2];
  const boxes = layout.slots.flatMap(({ box, layer, middle }) => {
    if (box === null) return [];
    const { x, width } = columns[layer] as Column;
    const tall = heights[box] as number;
    const frame = { x, y: MARGIN + middle - tall / 2, width, height: tall };
    return drawBox(graph.boxes[box] as Box, labels[box] as string[], frame);
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${round(w)} ${round(h)}" width="${round(w)}" height="${round(h)}" role="img" aria-labelledby="t d">`,
    `<title id="t">${escaped(title)}</title>`,
    `<desc id="d">${escaped(describe(graph))}</desc>`,
    `<style>${SVG_STYLE}</style>`,
    '<defs><marker id="a" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path class="head" d="M0 0.5 7.5 4 0 7.5z"/></marker></defs>',
    '<rect class="page" width="100%" height="100%"/>',
    ...edgePaths(layout, columns),
    ...boxes,
    '</svg>',
    '',
  ].join('\n');
}

interface Column {
  readonly x: number;
  readonly width: number;
}

function columnsOf(layout: Layout, widths: readonly number[]): Column[] {
  let x = MARGIN;
  return layout.layers.map((layer) => {
    const of = layer.map((slot) => widths[layout.slots[slot]?.box ?? -1] ?? 0);
    const column = { x, width: Math.max(...of) };
    x += column.width + CHANNEL;
    return column;
  });
}

/** One path for each line from box to box, smooth through the places where it passes a layer. */
function edgePaths({ slots, links }: Layout, columns: readonly Column[]): string[] {
  const { children } = neighboursOf(slots.length, links);
  const paths: string[] = [];
  for (const [from, { box, layer }] of slots.entries()) {
    if (box === null) continue;
    const { x, width } = columns[layer] as Column;
    const y = MARGIN + (slots[from]?.middle ?? 0);
    const walk = (at: number, path: string, [px, py]: readonly [number, number]): void => {
      for (const next of children[at] ?? []) {
        const slot = slots[next] as Layout['slots'][number];
        const { x: nx, width: wide } = columns[slot.layer] as Column;
        const ny = MARGIN + slot.middle;
        const bend = (nx - px) / 2;
        const curve = `${path}C${points(px + bend, py, nx - bend, ny, nx, ny)}`;
        if (slot.box !== null) paths.push(`<path class="edge" marker-end="url(#a)" d="${curve}"/>`);
        else walk(next, `${curve}H${round(nx + wide)}`, [nx + wide, ny]);
      }
    };
    walk(from, `M${points(x + width, y)}`, [x + width, y]);
  }
  return paths;
}

function drawBox(
  box: Box,
  lines: readonly string[],
  { x, y, width, height }: { x: number; y: number; width: number; height: number },
): string[] {
  const state = box.state === undefined ? '' : ` ${box.state}`;
  const radius = box.kind === 'work' || box.kind === 'fanOut' || box.kind === 'dynamic' ? 5 : 16;
  const rect = (shift: number): string =>
    `<rect class="box" x="${round(x + shift)}" y="${round(y + shift)}" width="${round(width)}" height="${round(height)}" rx="${radius}"/>`;
  // A fan-out is a pile of tasks.
  const pile = box.kind === 'fanOut' || box.count > 1 ? [rect(6), rect(3)] : [];
  const texts = lines.map((line, i) => {
    const at = `x="${round(x + width / 2)}" y="${round(y + PAD * 0.7 + LINE * (i + 0.75))}"`;
    return `<text class="${i === 0 ? 'name' : 'note'}" ${at}>${escaped(line)}</text>`;
  });
  const told = [box.name, ...box.notes, ...(box.state === undefined ? [] : [box.state])].join(', ');
  return [
    `<g class="${box.kind}${state}"><title>${escaped(told)}</title>${[...pile, rect(0), ...texts].join('')}</g>`,
  ];
}

/** What the picture shows, in words; bounded, because it is read out. */
function describe({ boxes, edges }: Graph): string {
  const { parents } = neighboursOf(boxes.length, edges);
  const told = boxes.slice(0, 30).map(({ name, state }, i) => {
    const after = (parents[i] ?? []).map((parent) => boxes[parent]?.name ?? '');
    const is = state === undefined ? '' : ` is ${state}`;
    return `${name}${is}${after.length === 0 ? '' : `${is === '' ? '' : ','} after ${after.slice(0, 10).join(', ')}`}`;
  });
  const more = boxes.length > told.length ? `; and ${boxes.length - told.length} more` : '';
  return `${boxes.length} tasks: ${told.join('; ')}${more}.`;
}

function shortened(text: string): string {
  const chars = [...text];
  return chars.length <= TEXT_MAX ? text : `${chars.slice(0, TEXT_MAX - 1).join('')}…`;
}

function widthOf(line: string, i: number): number {
  return [...line].length * (i === 0 ? CHAR : NOTE_CHAR);
}

function points(...values: readonly number[]): string {
  return values.map(round).join(' ');
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
