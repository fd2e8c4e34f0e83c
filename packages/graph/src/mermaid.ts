import type { Box, BoxKind, Graph } from './graph.ts';
import type { BoxState } from './states.ts';

/** The shape says what kind of task it is. */
const SHAPES: Readonly<Record<BoxKind, readonly [string, string]>> = {
  work: ['[', ']'],
  fanOut: ['[/', '/]'],
  dynamic: ['[\\', '\\]'],
  sleep: ['([', '])'],
  approval: ['{{', '}}'],
  event: ['>', ']'],
  run: ['[[', ']]'],
};

const STATE_STYLE: Readonly<Record<BoxState, string>> = {
  SUCCEEDED: 'fill:#dcfce7,stroke:#15803d,color:#14532d',
  RUNNING: 'fill:#dbeafe,stroke:#1d4ed8,color:#1e3a8a',
  ASSIGNED: 'fill:#dbeafe,stroke:#1d4ed8,color:#1e3a8a',
  QUEUED: 'fill:#fef9c3,stroke:#a16207,color:#713f12',
  FAILED: 'fill:#fee2e2,stroke:#b91c1c,color:#7f1d1d',
  TIMED_OUT: 'fill:#fee2e2,stroke:#b91c1c,color:#7f1d1d',
  QUARANTINED: 'fill:#fee2e2,stroke:#b91c1c,color:#7f1d1d',
  PENDING: 'fill:#f4f4f5,stroke:#71717a,color:#3f3f46',
  CANCELLED: 'fill:#f4f4f5,stroke:#71717a,color:#3f3f46',
  SKIPPED: 'fill:#f4f4f5,stroke:#71717a,color:#3f3f46,stroke-dasharray:4 3',
};

/** The graph as a Mermaid flowchart, as Markdown pages draw it. */
export function mermaid(graph: Graph): string[] {
  const lines = ['flowchart LR'];
  for (const [i, box] of graph.boxes.entries()) {
    const [open, close] = SHAPES[box.kind];
    const mark = box.state === undefined ? '' : `:::${box.state}`;
    lines.push(`  t${i}${open}"${labelOf(box)}"${close}${mark}`);
  }
  for (const [from, to] of graph.edges) lines.push(`  t${from} --> t${to}`);
  const states = new Set(graph.boxes.flatMap(({ state }) => state ?? []));
  for (const state of states) {
    // A newer node may report a state that is not in the table.
    if (Object.hasOwn(STATE_STYLE, state)) lines.push(`  classDef ${state} ${STATE_STYLE[state]}`);
  }
  return lines;
}

function labelOf({ name, notes }: Box): string {
  return [name, ...notes].map(escaped).join('<br/>');
}

/** As Mermaid reads it: what would end the label or mean something in it is written as a number. */
function escaped(text: string): string {
  return text.replace(/[^\p{L}\p{N} ._…:,/-]/gu, (char) => `#${char.codePointAt(0)};`);
}
