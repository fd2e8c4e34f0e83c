import type { AttemptView } from '@signalbox/protocol';
import type { Paint } from './paint.ts';
import { attemptSpan, spanOf, type TaskRow } from './task-rows.ts';
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
 * several. Dots are waits between attempts.
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
    const bar = barOf(row.attempts, { ...params, width });
    const took = spanOf(row.attempts, until);
    const label = took === null ? '' : span(took[1] - took[0]);
    const name = (names[i] as string).padEnd(nameWidth);
    // Colours around nothing would be spaces at the end of the line.
    if (took === null) lines.push(name.trimEnd());
    else lines.push(`${name}  ${paint.ofState(row.state)(bar)}  ${paint.dim(label)}`);
  }
  return lines;
}

function barOf(
  attempts: readonly AttemptView[],
  { from, until, width, isAscii }: TimelineParams & { width: number },
): string {
  const scale = width / Math.max(1, until - from);
  const counts = Array<number>(width).fill(0);
  let [first, last] = [width, -1];
  for (const attempt of attempts) {
    const [start, end] = attemptSpan(attempt, until);
    const at = bounded(Math.floor((start - from) * scale), width);
    const to = Math.max(at, bounded(Math.ceil((end - from) * scale) - 1, width));
    for (let column = at; column <= to; column++) counts[column] = (counts[column] ?? 0) + 1;
    first = Math.min(first, at);
    last = Math.max(last, to);
  }
  const most = Math.max(1, ...counts);
  return counts
    .map((count, column) => {
      if (count > 0) return isAscii ? '#' : LEVELS[Math.ceil((count / most) * LEVELS.length) - 1];
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
