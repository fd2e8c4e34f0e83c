import {
  describeCron,
  type MarkedLine,
  markWindows,
  type PreviewedWindows,
} from '@signalbox/node/preview';
import { printTable } from './table.ts';
import type { Terminal } from './terminal.ts';

/** Windows for programs: what `next` lists, and beside it what clock changes do to them. */
export function previewAnswer(preview: PreviewedWindows): unknown {
  const lines = markWindows(preview);
  return {
    words: describeCron(preview.cron.expression),
    next: preview.windows.map(instant),
    marks: lines.flatMap((line) =>
      line.kind === 'window' && line.mark !== null
        ? [{ at: instant(line.atMs), mark: line.mark }]
        : [],
    ),
    changes: lines.flatMap((line) =>
      line.kind === 'change'
        ? [
            {
              at: instant(line.atMs),
              before: offset(line.offsetBeforeMs),
              after: offset(line.offsetAfterMs),
            },
          ]
        : [],
    ),
  };
}

/** Windows for people, with a line between them wherever the clocks change. */
export function printPreview(terminal: Terminal, preview: PreviewedWindows): void {
  const { cron, windows } = preview;
  terminal.note(`${describeCron(cron.expression)}, ${cron.zone.name}`);
  if (windows.length === 0) {
    terminal.note('no window');
    return;
  }
  const rows = markWindows(preview).map((line) => rowOf(terminal, line));
  printTable(terminal, ['WINDOW', 'LOCAL TIME', 'CLOCK CHANGE'], rows);
}

function rowOf({ paint }: Terminal, line: MarkedLine): string[] {
  if (line.kind === 'window') {
    const { atMs, offsetMs, mark } = line;
    return [instant(atMs), local(atMs, offsetMs), paint.yellow(mark ?? '')];
  }
  const { atMs, offsetBeforeMs, offsetAfterMs } = line;
  const movedMs = offsetAfterMs - offsetBeforeMs;
  const moved = `clocks go ${movedMs > 0 ? 'forward' : 'back'} ${hoursAndMinutes(Math.abs(movedMs))}`;
  const wall = `${local(atMs, offsetBeforeMs)} → ${local(atMs, offsetAfterMs)}`;
  return ['-', paint.yellow(wall), paint.yellow(moved)];
}

const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

function local(atMs: number, offsetMs: number): string {
  const wall = new Date(atMs + offsetMs);
  const text = wall.toISOString();
  const weekday = WEEKDAYS[wall.getUTCDay()];
  return `${weekday} ${text.slice(0, 10)} ${text.slice(11, 19)} ${offset(offsetMs)}`;
}

function instant(ms: number): string {
  return new Date(ms).toISOString();
}

/** `+05:30`, and with seconds where old clocks had them. */
function offset(ms: number): string {
  const text = new Date(Math.abs(ms)).toISOString().slice(11, 19);
  return `${ms < 0 ? '-' : '+'}${text.endsWith(':00') ? text.slice(0, 5) : text}`;
}

function hoursAndMinutes(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  const parts = [
    minutes >= 60 ? `${Math.floor(minutes / 60)} h` : '',
    minutes % 60 === 0 ? '' : `${minutes % 60} min`,
  ];
  return parts.filter((part) => part !== '').join(' ');
}
