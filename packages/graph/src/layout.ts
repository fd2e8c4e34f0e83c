import { type Graph, layersOf, neighboursOf } from './graph.ts';
import { meanOf } from './mean-of.ts';
import { orderLayers } from './order-layers.ts';
import { placeInOrder } from './place-in-order.ts';

/**
 * Boxes in layers, so that every edge goes from one layer to a later one. An edge over several layers
 * passes each of those between in a slot of its own; edges of one box share these slots.
 */
export interface Layout {
  /** The first are those of the boxes, in their order. */
  readonly slots: readonly Slot[];
  /** Slots by layer, each in its order from one side to the other. */
  readonly layers: readonly (readonly number[])[];
  /** Between slots of neighbouring layers. */
  readonly links: readonly (readonly [from: number, to: number])[];
}

export interface Slot {
  readonly layer: number;
  /** Null: nothing but edges pass here. */
  readonly box: number | null;
  /** How much it takes across the layers, and where its middle is. */
  readonly size: number;
  readonly middle: number;
}

export interface LayoutParams {
  readonly sizeOf: (box: number) => number;
  /** Room between two boxes of a layer. */
  readonly gap: number;
  /** What an edge takes that passes a layer. */
  readonly passing: number;
}

const SWEEPS = 6;

export function layOut(graph: Graph, { sizeOf, gap, passing }: LayoutParams): Layout {
  const { slots, layers: given, links } = slotsOf(graph);
  const sizes = slots.map(({ box }) => (box === null ? passing : sizeOf(box)));
  const { parents, children } = neighboursOf(slots.length, links);
  const layers = orderLayers(given, { parents, children });
  const middles = slots.map(() => 0);
  for (const layer of layers) {
    let from = 0;
    for (const slot of layer) {
      const size = sizes[slot] as number;
      middles[slot] = from + size / 2;
      from += size + gap;
    }
  }
  const place = (layer: readonly number[], near: typeof parents): void => {
    const wanted = layer.map((slot) => meanOf(near[slot] ?? [], middles) ?? middles[slot] ?? 0);
    const apart = layer.slice(1).map((slot, i) => {
      return ((sizes[slot] ?? 0) + (sizes[layer[i] as number] ?? 0)) / 2 + gap;
    });
    for (const [i, middle] of placeInOrder(wanted, apart).entries()) {
      middles[layer[i] as number] = middle;
    }
  };
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    for (const layer of layers) place(layer, parents);
    for (const layer of layers.toReversed()) place(layer, children);
  }
  const first = Math.min(...middles.map((middle, slot) => middle - (sizes[slot] ?? 0) / 2));
  return {
    slots: slots.map((slot, i) => ({
      ...slot,
      size: sizes[i] as number,
      middle: (middles[i] as number) - first,
    })),
    layers,
    links,
  };
}

function slotsOf(graph: Graph): {
  slots: { layer: number; box: number | null }[];
  layers: number[][];
  links: [number, number][];
} {
  const layerOf = layersOf(neighboursOf(graph.boxes.length, graph.edges));
  const slots: { layer: number; box: number | null }[] = layerOf.map((layer, box) => ({
    layer,
    box,
  }));
  const links: [number, number][] = [];
  const passes = new Map<string, number>();
  for (const [from, to] of graph.edges) {
    let at = from;
    for (let layer = (layerOf[from] ?? 0) + 1; layer < (layerOf[to] ?? 0); layer++) {
      let pass = passes.get(`${from}@${layer}`);
      if (pass === undefined) {
        pass = slots.push({ layer, box: null }) - 1;
        passes.set(`${from}@${layer}`, pass);
        links.push([at, pass]);
      }
      at = pass;
    }
    links.push([at, to]);
  }
  const layers: number[][] = [];
  for (const [slot, { layer }] of slots.entries()) {
    layers[layer] ??= [];
    layers[layer]?.push(slot);
  }
  return { slots, layers, links };
}
