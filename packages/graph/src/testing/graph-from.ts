import type { Box, Edge, Graph } from '../graph.ts';

/** A box as tests write it, with the names of its parents. */
export type Drawn = Partial<Box> & { readonly name: string; readonly after?: readonly string[] };

export function graphFrom(drawn: readonly Drawn[]): Graph {
  const positions = new Map(drawn.map(({ name }, i) => [name, i]));
  const edges = drawn.flatMap(({ after = [] }, to) =>
    after.map((parent): Edge => [positions.get(parent) as number, to]),
  );
  const boxes = drawn.map(
    ({ after: _, ...box }): Box => ({ kind: 'work', notes: [], count: 1, ...box }),
  );
  return { boxes, edges };
}

/** A style that leaves text as it is. */
export const PLAIN = {
  bold: (text: string) => text,
  dim: (text: string) => text,
  ofState: () => (text: string) => text,
  escape: (text: string) => text.replaceAll('\u001b', '\\x1b'),
};
