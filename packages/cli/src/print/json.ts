import type { Terminal } from './terminal.ts';

/** One JSON document on one line, so that a stream of them is JSON lines. */
export function printJson(terminal: Terminal, value: unknown): void {
  terminal.line(JSON.stringify(value));
}

/** For people: a text as it is, everything else as JSON, in several lines where that helps. */
export function printValue(terminal: Terminal, value: unknown): void {
  if (typeof value === 'string') terminal.line(value);
  else terminal.line(JSON.stringify(value, null, terminal.isTty ? 2 : undefined));
}
