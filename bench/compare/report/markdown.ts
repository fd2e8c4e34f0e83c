import { MAIN_FIGURES, type MainFigure } from '../shapes/main-figure.ts';
import { type Sizes, sizeWords } from '../shapes/sizes.ts';
import type { Spread } from '../statistics.ts';
import { bestPeer, type Line, ratioOf } from '../summary.ts';
import { SHAPES, type Shape, type System } from '../systems/system.ts';
import { insteadOf, type Tuned } from './instead.ts';
import { rangeText, readable } from './readable.ts';
import type { PeersRecord } from './record.ts';
import { plotFile } from './svg.ts';
import { Lookup, TARGETS } from './targets.ts';

const MARK = ' (disturbed)';

/** The report as it stands in docs/performance.md. */
export function renderMarkdown(kept: PeersRecord, systems: readonly System[]): string {
  const lines = kept.shapes.flatMap((shape) => shape.lines);
  return [
    introduction(kept),
    '### Figures to reach',
    'Ratios are to the best peer on PostgreSQL in the same run, medians to medians.',
    targetsTable(new Lookup(lines, systems)),
    ...SHAPES.flatMap((shape) => shapeSection(shape, kept, systems)),
    ...withoutFigures(kept),
    '### Settings',
    settings(kept),
  ].join('\n\n');
}

function introduction({ environment }: PeersRecord): string {
  const { hardware, node, postgres } = environment;
  return (
    `${hardware}, Node.js ${node}, PostgreSQL ${postgres}. Tasks do nothing and carry about 200 bytes ` +
    'of JSON. Rounds are interleaved and their order rotates; figures are medians, with the range over ' +
    'the rounds. Processor time is that of all processes: producer, worker, node and database server. A ' +
    'measurement counts only if every task that was submitted was handled and has durably ended or is ' +
    'durably there; one during which other programs used more than a fifth of a core is repeated.'
  );
}

function targetsTable(lookup: Lookup): string {
  const rows = TARGETS.map(({ what, must, aim, measured, unit, shape, note }) => {
    const value = measured(lookup);
    if (value === undefined) return `| ${what} | ${must.words} | ${aim.words} | not measured | |`;
    const reached = aim.isReached(value, lookup)
      ? 'aim'
      : must.isReached(value, lookup)
        ? 'must'
        : '**no**';
    const detail = note === undefined ? '' : ` (${note(lookup)})`;
    const mark = lookup.isDisturbed(shape) ? MARK : '';
    const shown = `${readable(value)}${unit}${detail}${mark}`;
    return `| ${what} | ${must.words} | ${aim.words} | ${shown} | ${reached} |`;
  });
  return ['| figure | must | aim | measured | reached |', '|---|---|---|---|---|', ...rows].join(
    '\n',
  );
}

function shapeSection(shape: Shape, kept: PeersRecord, systems: readonly System[]): string[] {
  const found = kept.shapes.find((each) => each.shape === shape);
  if (found === undefined) return [];
  const main = MAIN_FIGURES[shape];
  const groups = Map.groupBy(found.lines, ({ label }) => label);
  const file = plotFile(shape);
  return [
    `### ${main.title}`,
    ...(file === null ? [] : [`![${main.title}](performance/${file})`]),
    ...[...groups].flatMap(([label, lines]) => [
      caption({ ...found, label, rounds: lines[0]?.rounds ?? 0 }),
      shapeTable(lines, main, { systems, tuned: kept.environment.systems }),
    ]),
  ];
}

/** When and how much was measured. */
function caption(params: {
  shape: Shape;
  label: string;
  date: string;
  sizes: Sizes;
  rounds: number;
}): string {
  const { shape, label, date, sizes, rounds } = params;
  const size = sizeWords(shape, sizes);
  const parts = [label, size, rounds === 1 ? 'one round' : `${rounds} rounds`, date];
  return `${parts.filter((part) => part !== '').join('; ')}.`;
}

interface Column {
  readonly head: string;
  readonly cell: (line: Line) => string;
}

/** A column in which no line has anything to say is left out. */
function shapeTable(
  lines: readonly Line[],
  main: MainFigure,
  { systems, tuned }: { systems: readonly System[]; tuned: readonly Tuned[] },
): string {
  const columns = [
    { head: 'system', cell: (line: Line) => systemCell(line, insteadOf(line, tuned)) },
    ...columnsOf(main, bestPeer(lines, main, systems)),
  ].filter(({ cell }) => lines.some((line) => cell(line) !== ''));
  const rows = [
    columns.map(({ head }) => head),
    columns.map(() => '---'),
    ...lines.map((line) => columns.map(({ cell }) => cell(line))),
  ];
  return rows.map((row) => `| ${row.join(' | ')} |`).join('\n');
}

function columnsOf(main: MainFigure, best: Line | undefined): readonly Column[] {
  return [
    { head: main.words, cell: ({ figures }) => medianText(figures[main.figure]?.median) },
    { head: 'range', cell: ({ figures }) => rangeCell(figures[main.figure]) },
    { head: 'to the best PostgreSQL peer', cell: (line) => ratioCell(main.figure, line, best) },
    ...Object.entries(main.others).map(([head, figure]) => ({
      head,
      cell: ({ figures }: Line) => medianText(figures[figure]?.median),
    })),
    { head: 'CPU s per 10k', cell: (line) => medianText(line.cpuSecondsPer10k?.median) },
    { head: 'memory, MB', cell: ({ memoryMb }) => memoryCell(memoryMb) },
    { head: 'log bytes per task', cell: (line) => medianText(line.walBytesPerTask?.median) },
  ];
}

function systemCell({ system, isDisturbed, duplicates }: Line, instead: string): string {
  const twice = duplicates > 0 ? `, ${duplicates} handled twice` : '';
  return `${system}${instead}${isDisturbed ? MARK : ''}${twice}`;
}

function rangeCell(spread: Spread | undefined): string {
  return spread === undefined || spread.count === 1 ? '' : rangeText(spread);
}

function ratioCell(figure: string, line: Line, best: Line | undefined): string {
  const ratio = ratioOf(figure, line, best);
  return ratio === undefined ? '' : `${readable(ratio)}×`;
}

function memoryCell(memoryMb: Line['memoryMb']): string {
  return Object.entries(memoryMb)
    .map(([name, mb]) => `${name} ${mb}`)
    .join(', ');
}

function medianText(value: number | undefined): string {
  return value === undefined || !Number.isFinite(value) ? '' : readable(value);
}

/** What could be measured and was not is said: a reader would take a missing table for a missing shape. */
function withoutFigures({ shapes }: PeersRecord): string[] {
  const names = SHAPES.filter((name) => !shapes.some(({ shape }) => shape === name));
  if (names.length === 0) return [];
  const list = names.map((name) => `\`${name}\``).join(', ');
  return [`Not measured at full size so far: ${list}.`];
}

function settings({ environment, shapes }: PeersRecord): string {
  const measured = new Set(shapes.flatMap(({ lines }) => lines.map(({ system }) => system)));
  const list = (values: Readonly<Record<string, string>>): string =>
    Object.entries(values)
      .map(([name, value]) => `\`${name}=${value === '' ? "''" : value}\``)
      .join(', ');
  const systems = environment.systems
    .filter(({ name }) => measured.has(name))
    .map(({ name, version, words }) => `- **${name}** (${version}): ${words}.`);
  return [
    `PostgreSQL, one server for all: ${list(environment.settings.postgres)}. Redis: ${list(environment.settings.redis)}.`,
    '',
    ...systems,
    '',
    'Every setting by system and shape is in [performance/peers.json](performance/peers.json).',
  ].join('\n');
}
