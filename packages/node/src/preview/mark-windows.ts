import { type ClockChange, type Cron, clockChanges, nextWindow } from '@signalbox/engine';

const DAY_MS = 86_400_000;

/** Above every distance by which clocks are moved. */
const CHANGE_MS_MAX = 2 * DAY_MS;

/** How a clock change touches a window. */
export type WindowMark =
  /** Its local time does not exist on this day; it fires when the gap ends. */
  | 'shifted'
  /** Its local time comes twice on this day, and this is one of the two. */
  | 'first of two'
  | 'second of two';

export type MarkedLine =
  | {
      readonly kind: 'window';
      readonly atMs: number;
      readonly offsetMs: number;
      readonly mark: WindowMark | null;
    }
  | ({ readonly kind: 'change' } & ClockChange);

/** Windows in their order, with every clock change from the beginning to the last of them. */
export function markWindows(params: {
  readonly cron: Cron;
  readonly fromMs: number;
  readonly windows: readonly number[];
}): MarkedLine[] {
  const { cron, fromMs, windows } = params;
  const lastMs = windows.at(-1);
  if (lastMs === undefined) return [];
  const near = clockChanges(cron.zone, fromMs - CHANGE_MS_MAX, lastMs + CHANGE_MS_MAX);
  const lines: MarkedLine[] = [];
  let passed = 0;
  for (const atMs of windows) {
    for (let change = near[passed]; change !== undefined && change.atMs <= atMs; ) {
      if (change.atMs > fromMs) lines.push({ kind: 'change', ...change });
      change = near[++passed];
    }
    const { offsetMs } = cron.zone.spanAt(atMs);
    const mark = markOf(cron, atMs, { before: near[passed - 1], after: near[passed] });
    lines.push({ kind: 'window', atMs, offsetMs, mark });
  }
  return lines;
}

function markOf(
  cron: Cron,
  atMs: number,
  near: { readonly before: ClockChange | undefined; readonly after: ClockChange | undefined },
): WindowMark | null {
  const { before, after } = near;
  if (before?.atMs === atMs && nextWindow({ ...cron, gap: 'skip' }, atMs - 1) !== atMs) {
    return 'shifted';
  }
  if (before !== undefined && atMs < before.atMs + repeatedMs(before)) return 'second of two';
  if (after !== undefined && atMs >= after.atMs - repeatedMs(after)) return 'first of two';
  return null;
}

function repeatedMs({ offsetBeforeMs, offsetAfterMs }: ClockChange): number {
  return Math.max(0, offsetBeforeMs - offsetAfterMs);
}
