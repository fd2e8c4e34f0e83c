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

/** Replaces these figures in docs/performance.md, each with its day; other figures and the text stay. */
export function writeReport(figures: readonly Figure[]): void {
  const path = fileURLToPath(new URL('../../docs/performance.md', import.meta.url));
  const page = readFileSync(path, 'utf8');
  const from = page.indexOf(BEGIN) + BEGIN.length;
  const to = page.indexOf(END);
  if (to < from) throw new Error(`${path} has no place for the figures`);
  const kept = page
    .slice(from, to)
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| figure '))
    .filter((line) => !figures.some(({ what }) => line.startsWith(`| ${what} |`)));
  const head = ['| figure | measured | target | reached | day |', '|---|---|---|---|---|'];
  const table = [...head, ...kept, ...figures.map(rowOf)].join('\n');
  writeFileSync(path, `${page.slice(0, from)}\n\n${table}\n\n${page.slice(to)}`);
}

function rowOf(figure: Figure): string {
  const { what, measured, most, least } = figure;
  const target = least === undefined ? `≤ ${shown(most)}` : `≥ ${shown(least)}`;
  const reached = isReached(figure) ? 'yes' : '**no**';
  const day = new Date().toISOString().slice(0, 10);
  return `| ${what} | ${shown(measured)} | ${target} | ${reached} | ${day} |`;
}

const shown = (value: number): string => value.toLocaleString('en');
