export { type Direction, drawText, type TextParams, type TextStyle } from './draw-text.ts';
export { folded } from './fold.ts';
export { type Box, type BoxKind, type Edge, type Graph, layersOf, neighboursOf } from './graph.ts';
export { type Layout, layOut } from './layout.ts';
export { mermaid } from './mermaid.ts';
export { type BoxState, commonState, foremostState, tally } from './states.ts';
export { svg } from './svg.ts';
export { type TextGraphParams, textGraph } from './text-graph.ts';
