import { stripVTControlCharacters } from 'node:util';
import { escapeControls } from './safe-text.ts';
import type { Terminal } from './terminal.ts';

const GAP = '  ';

/**
 * Aligned columns under a dim heading. Where output is not a terminal there is no heading and one
 * tab between cells, so that `cut` and `awk` can read it.
 */
export function printTable(
  terminal: Terminal,
  head: readonly string[],
  rows: readonly (readonly string[])[],
): void {
  const clean = rows.map((row) => row.map(oneLine));
  if (!terminal.isTty) {
    for (const row of clean) terminal.line(row.map(stripVTControlCharacters).join('\t'));
    return;
  }
  const widths = head.map((name, column) =>
    Math.max(widthOf(name), ...clean.map((row) => widthOf(row[column] ?? ''))),
  );
  terminal.line(terminal.paint.dim(aligned(head, widths)));
  for (const row of clean) terminal.line(aligned(row, widths));
}

/** `name: value` lines with the values under each other. */
export function printFields(
  terminal: Terminal,
  fields: readonly (readonly [string, string])[],
): void {
  const width = Math.max(...fields.map(([name]) => name.length)) + 1;
  for (const [name, value] of fields) {
    terminal.line(`${terminal.paint.dim(`${name}:`.padEnd(width))} ${oneLine(value)}`);
  }
}

function aligned(cells: readonly string[], widths: readonly number[]): string {
  const padded = cells.map((cell, column) => {
    const missing = (widths[column] ?? 0) - widthOf(cell);
    return column === cells.length - 1 ? cell : cell + ' '.repeat(Math.max(0, missing));
  });
  return padded.join(GAP).trimEnd();
}

function widthOf(text: string): number {
  return stripVTControlCharacters(text).length;
}

/** Names and error texts of others must not break the table or control the terminal. */
function oneLine(text: string): string {
  return escapeControls(text).replace(/\s+/g, ' ').trim();
}
