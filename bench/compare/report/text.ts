import type { Comparison } from '../compare.ts';
import { MAIN_FIGURES } from '../shapes/main-figure.ts';
import { bestPeer, type Line, ratioOf } from '../summary.ts';
import type { System } from '../systems/system.ts';
import { insteadOf } from './instead.ts';
import { readable, spreadText } from './readable.ts';

/** For a terminal: a line for each system and shape. */
export function renderText({ lines }: Comparison, systems: readonly System[]): string {
  const groups = Map.groupBy(lines, ({ shape, label }) => `${shape} ${label}`.trim());
  return [...groups]
    .flatMap(([name, group]) => [name, ...group.map((line) => textOf(line, group, systems)), ''])
    .join('\n');
}

function textOf(line: Line, group: readonly Line[], systems: readonly System[]): string {
  const main = MAIN_FIGURES[line.shape];
  const ratio = ratioOf(main.figure, line, bestPeer(group, main, systems));
  const figures = Object.entries(line.figures).map(
    ([name, spread]) => `${name} ${spreadText(spread)}`,
  );
  const memory = Object.entries(line.memoryMb).map(([name, mb]) => `${name} ${mb}`);
  const parts = [
    ratio === undefined ? '' : `${ratio.toFixed(2)}× the best PostgreSQL peer`,
    ...figures,
    line.cpuSecondsPer10k === null ? '' : `CPU s/10k ${spreadText(line.cpuSecondsPer10k)}`,
    line.walBytesPerTask === null ? '' : `WAL bytes/task ${readable(line.walBytesPerTask.median)}`,
    `MB ${memory.join(' ')}`,
    line.duplicates > 0 ? `${line.duplicates} handled twice` : '',
    line.isDisturbed ? 'DISTURBED' : '',
  ];
  const name = `${line.system}${insteadOf(line, systems)}`;
  return `  ${name.padEnd(26)} ${parts.filter((part) => part !== '').join(' | ')}`;
}
