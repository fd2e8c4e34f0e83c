import { MAIN_FIGURES } from '../shapes/main-figure.ts';
import type { Line } from '../summary.ts';
import type { Shape } from '../systems/system.ts';
import { readable } from './readable.ts';

const WIDTH = 720;
const LABEL_WIDTH = 190;
const VALUE_WIDTH = 90;
const ROW = 30;
const BAR = 16;
const TOP = 46;
const BOTTOM = 14;

/** Shapes whose figures are told better by a picture. */
const PLOTTED: ReadonlySet<Shape> = new Set([
  'steady',
  'single',
  'pipeline',
  'tenants',
  'submit',
  'drain',
  'latency',
]);

export function plotFile(shape: Shape): string | null {
  return PLOTTED.has(shape) ? `${shape}.svg` : null;
}

// Pages are shown on light and on dark ground: the colours follow the reader's choice.
const STYLE = `
  text { font: 13px system-ui, sans-serif; fill: #24292f; }
  .title { font-size: 15px; font-weight: 600; }
  .value { font-variant-numeric: tabular-nums; }
  .own { fill: #2f6fdb; } .peer { fill: #9aa4b2; }
  .range { stroke: #24292f; stroke-width: 1.5; }
  .ground { fill: #ffffff; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; }
    .own { fill: #5b93f0; } .peer { fill: #6b7685; }
    .range { stroke: #e6edf3; }
    .ground { fill: #0d1117; }
  }`;

/** Bars of the medians, with a line from the least to the most of all rounds. */
export function renderPlot(shape: Shape, lines: readonly Line[]): string {
  const { figure, words, title, better } = MAIN_FIGURES[shape];
  const rows = lines.flatMap((line) => {
    const spread = line.figures[figure];
    return spread === undefined ? [] : [{ system: line.system, spread }];
  });
  const most = Math.max(...rows.map(({ spread }) => spread.max));
  const scale = (value: number): number => (value / most) * (WIDTH - LABEL_WIDTH - VALUE_WIDTH);
  const height = TOP + rows.length * ROW + BOTTOM;
  const bars = rows.map(({ system, spread }, index) => {
    const y = TOP + index * ROW;
    const middle = y + BAR / 2;
    const x = (value: number): string => (LABEL_WIDTH + scale(value)).toFixed(1);
    const kind = system.startsWith('signalbox') ? 'own' : 'peer';
    return [
      `<text x="${LABEL_WIDTH - 8}" y="${middle + 5}" text-anchor="end">${system}</text>`,
      `<rect class="${kind}" x="${LABEL_WIDTH}" y="${y}" width="${scale(spread.median).toFixed(1)}" height="${BAR}" rx="2"/>`,
      `<path class="range" d="M${x(spread.min)} ${middle}H${x(spread.max)}M${x(spread.min)} ${middle - 4}v8M${x(spread.max)} ${middle - 4}v8"/>`,
      `<text class="value" x="${(LABEL_WIDTH + scale(spread.max) + 8).toFixed(1)}" y="${middle + 5}">${readable(spread.median)}</text>`,
    ].join('\n');
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" role="img">
<title>${title}</title>
<style>${STYLE}
</style>
<rect class="ground" width="${WIDTH}" height="${height}" rx="6"/>
<text class="title" x="16" y="26">${title}: ${words}${better === 'lower' ? ' (less is better)' : ''}</text>
${bars.join('\n')}
</svg>
`;
}
