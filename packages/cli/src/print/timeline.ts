import type { Paint } from './paint.ts';
import { attemptSpan, spanOf, type TaskRow, waitSpan } from './task-rows.ts';
import { span } from './times.ts';

const LEVELS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
const NAME_MAX = 28;
const BAR_MIN = 10;

export interface TimelineParams {
  /** When the run was submitted, and when it ended, or now. */
  readonly from: number;
  readonly until: number;
  readonly columns: number;
  readonly isAscii: boolean;
  readonly paint: Paint;
}

/**
 * A bar over time for each task: when it was worked on, and how many attempts at once where there are
 * several. Dots are waits between attempts; a task that waits for something outside is shaded.
 */
export function timeline(rows: readonly TaskRow[], params: TimelineParams): string[] {
  const { from, until, columns, paint } = params;
  const names = rows.map(({ name }) => shortened(name));
  const nameWidth = Math.max(8, ...names.map((name) => name.length));
  const width = Math.max(BAR_MIN, columns - nameWidth - 14);
  const total = span(until - from);
  const axis = `0${' '.repeat(Math.max(1, width - 1 - total.length))}${total}`;
  const lines = [paint.dim(`${' '.repeat(nameWidth)}  ${axis}`)];
  for (const [i, row] of rows.entries()) {
    const bar = barOf(row, { ...params, width });
    const took = spanOf(row, until);
    const label = took === null ? '' : span(took[1] - took[0]);
    const name = (names[i] as string).padEnd(nameWidth);
    // Colours around nothing would be spaces at the end of the line.
    if (took === null) lines.push(name.trimEnd());
    else lines.push(`${name}  ${paint.ofState(row.state)(bar)}  ${paint.dim(label)}`);
  }
  return lines;
}

function barOf(
  { attempts, wait }: TaskRow,
  { from, until, width, isAscii }: TimelineParams & { width: number },
): string {
  const scale = width / Math.max(1, until - from);
  const columnsOf = ([start, end]: [number, number]): [number, number] => {
    const at = bounded(Math.floor((start - from) * scale), width);
    return [at, Math.max(at, bounded(Math.ceil((end - from) * scale) - 1, width))];
  };
  const waited = wait ? columnsOf(waitSpan(wait, until)) : null;
  const counts = Array<number>(width).fill(0);
  let [first, last] = [width, -1];
  for (const attempt of attempts) {
    const [at, to] = columnsOf(attemptSpan(attempt, until));
    for (let column = at; column <= to; column++) counts[column] = (counts[column] ?? 0) + 1;
    first = Math.min(first, at);
    last = Math.max(last, to);
  }
  const most = Math.max(1, ...counts);
  return counts
    .map((count, column) => {
      if (count > 0) return isAscii ? '#' : LEVELS[Math.ceil((count / most) * LEVELS.length) - 1];
      if (waited !== null && column >= waited[0] && column <= waited[1]) return isAscii ? '-' : '░';
      return column > first && column < last ? (isAscii ? '.' : '·') : ' ';
    })
    .join('');
}

function bounded(column: number, width: number): number {
  return Math.min(width - 1, Math.max(0, column));
}

function shortened(name: string): string {
  return name.length <= NAME_MAX ? name : `${name.slice(0, NAME_MAX - 2)}..`;
}
