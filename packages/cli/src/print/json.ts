import type { Terminal } from './terminal.ts';

/** One JSON document on one line, so that a stream of them is JSON lines. */
export function printJson(terminal: Terminal, value: unknown): void {
  terminal.raw(`${JSON.stringify(value)}\n`);
}

/** A text without quotes, everything else as JSON, in several lines on a terminal. A pipe gets it unchanged. */
export function printValue(terminal: Terminal, value: unknown): void {
  const indent = terminal.isTty ? 2 : undefined;
  printData(
    terminal,
    `${typeof value === 'string' ? value : JSON.stringify(value, null, indent)}\n`,
  );
}

/** Data that a run returned or printed: unchanged for a pipe, safe for a terminal. */
export function printData(terminal: Terminal, text: string): void {
  if (terminal.isTty) terminal.write(text);
  else terminal.raw(text);
}
