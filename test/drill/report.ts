import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export interface Figure {
  readonly what: string;
  readonly measured: number;
  readonly most: number;
  /** The drill fails below it. */
  readonly least?: number;
}

export function isReached({ measured, most, least = 0 }: Figure): boolean {
  return measured <= most && measured >= least;
}

const BEGIN = '<!-- drills: begin -->';
const END = '<!-- drills: end -->';

/** Replaces the figures in docs/performance.md; the text around them stays. */
export function writeReport(figures: readonly Figure[]): void {
  const path = fileURLToPath(new URL('../../docs/performance.md', import.meta.url));
  const page = readFileSync(path, 'utf8');
  const rows = figures.map((figure) => {
    const { what, measured, most, least } = figure;
    const target =
      least === undefined ? `≤ ${most.toLocaleString('en')}` : `≥ ${least.toLocaleString('en')}`;
    const reached = isReached(figure) ? 'yes' : '**no**';
    return `| ${what} | ${measured.toLocaleString('en')} | ${target} | ${reached} |`;
  });
  const day = new Date().toISOString().slice(0, 10);
  const head = [
    `${day}, Node.js ${process.version}.`,
    '',
    '| figure | measured | target | reached |',
  ];
  const table = [...head, '|---|---|---|---|', ...rows].join('\n');
  const from = page.indexOf(BEGIN) + BEGIN.length;
  const to = page.indexOf(END);
  if (to < from) throw new Error(`${path} has no place for the figures`);
  writeFileSync(path, `${page.slice(0, from)}\n\n${table}\n\n${page.slice(to)}`);
}
