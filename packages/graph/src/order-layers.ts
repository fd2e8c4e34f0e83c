import type { Neighbours } from './graph.ts';
import { meanOf } from './mean-of.ts';

const SWEEPS = 8;

/**
 * Orders each layer so that few edges cross: every slot goes to the mean of its neighbours, down and
 * up again, and the best order seen is kept. Equal ones stay in the order of the definition.
 */
export function orderLayers(
  layers: readonly (readonly number[])[],
  { parents, children }: Neighbours,
): number[][] {
  let order = layers.map((layer) => [...layer]);
  let best = order;
  let fewest = crossings(order, children);
  for (let sweep = 0; sweep < SWEEPS && fewest > 0; sweep++) {
    const isDown = sweep % 2 === 0;
    order = sorted(order, isDown ? parents : children);
    const found = crossings(order, children);
    if (found >= fewest) continue;
    fewest = found;
    best = order;
  }
  return best;
}

function sorted(order: readonly number[][], near: Neighbours['parents']): number[][] {
  const places: number[] = [];
  for (const layer of order) for (const [place, slot] of layer.entries()) places[slot] = place;
  return order.map((layer) => {
    const wanted = new Map(
      layer.map((slot, place) => [slot, meanOf(near[slot] ?? [], places) ?? place]),
    );
    const next = layer.toSorted((a, b) => (wanted.get(a) ?? 0) - (wanted.get(b) ?? 0));
    for (const [place, slot] of next.entries()) places[slot] = place;
    return next;
  });
}

/** Pairs of edges that cross, counted by inserting the lower ends in the order of the upper ones. */
function crossings(order: readonly number[][], children: Neighbours['children']): number {
  const places: number[] = [];
  for (const layer of order) for (const [place, slot] of layer.entries()) places[slot] = place;
  let count = 0;
  for (const layer of order) {
    const ends = layer.flatMap((slot) =>
      (children[slot] ?? []).map((child) => places[child] as number).sort((a, b) => a - b),
    );
    count += inversions(ends);
  }
  return count;
}

function inversions(values: readonly number[]): number {
  if (values.length < 2) return 0;
  const half = values.length >> 1;
  const [left, right] = [values.slice(0, half), values.slice(half)];
  let count = inversions(left) + inversions(right);
  left.sort((a, b) => a - b);
  right.sort((a, b) => a - b);
  let smaller = 0;
  for (const value of left) {
    while (smaller < right.length && (right[smaller] as number) < value) smaller++;
    count += smaller;
  }
  return count;
}
