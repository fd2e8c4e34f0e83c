/**
 * Places as near to those wanted as order and distance allow: the sum of the squares of what is off
 * is the least there is. `apart[i]` is the least distance between place i and the next. Neighbours
 * that get in each other's way form a block, and a block goes to the mean of what its members want.
 */
export function placeInOrder(wanted: readonly number[], apart: readonly number[]): number[] {
  const offsets = [0];
  for (const distance of apart) offsets.push((offsets.at(-1) as number) + distance);
  const blocks: { sum: number; count: number }[] = [];
  for (const [i, want] of wanted.entries()) {
    let block = { sum: want - (offsets[i] as number), count: 1 };
    for (let last = blocks.at(-1); last !== undefined; last = blocks.at(-1)) {
      if (last.sum / last.count <= block.sum / block.count) break;
      block = { sum: block.sum + last.sum, count: block.count + last.count };
      blocks.pop();
    }
    blocks.push(block);
  }
  const places = blocks.flatMap(({ sum, count }) => Array<number>(count).fill(sum / count));
  return places.map((place, i) => place + (offsets[i] as number));
}
