import { stripVTControlCharacters } from 'node:util';
import { asTyped } from '../typed-command.ts';
import { type Paint, paint } from './paint.ts';
import { safeText } from './safe-text.ts';

/** Where a command prints. Tests hand in one that gathers. */
export interface Terminal {
  /** One line on standard output. Like `write`, `note` and `transient` it shows control characters as text. */
  readonly line: (text: string) => void;
  readonly write: (text: string) => void;
  /** Exactly this text on standard output: JSON, and data for a pipe. */
  readonly raw: (text: string) => void;
  /** One line on standard error: progress, hints, and errors. */
  readonly note: (text: string) => void;
  /** A text of ours as this person has to type the commands in it. */
  readonly typed: (text: string) => string;
  /** When what was written to standard output has left: who prints without end waits for it. */
  readonly flushed: () => Promise<void>;
  /** Writes over the last transient line; only on a terminal, else nothing. */
  readonly transient: (text: string) => void;
  readonly isTty: boolean;
  readonly columns: number;
  readonly rows: number;
  readonly paint: Paint;
  readonly now: () => number;
}

const CLEAR_LINE = '\r\u001b[2K';

export function processTerminal(command: string): Terminal {
  const { stdout, stderr, env } = process;
  const isTty = stdout.isTTY === true;
  const isDumb = env['TERM'] === 'dumb';
  const hasColour = isTty && !isDumb && (env['NO_COLOR'] ?? '') === '';
  const showsTransient = stderr.isTTY === true && !isDumb;
  let hasTransient = false;
  const clear = () => {
    if (hasTransient) stderr.write(CLEAR_LINE);
    hasTransient = false;
  };
  const print = (stream: NodeJS.WriteStream, text: string) => {
    clear();
    stream.write(text);
  };
  return {
    line: (text) => print(stdout, `${safeText(text)}\n`),
    write: (text) => print(stdout, safeText(text)),
    raw: (text) => print(stdout, text),
    note: (text) => {
      const safe = safeText(text);
      const shown = stderr.isTTY === true ? safe : stripVTControlCharacters(safe);
      print(stderr, `${shown}\n`);
    },
    typed: (text) => asTyped(command, text),
    flushed: () => new Promise((resolve) => stdout.write('', () => resolve())),
    transient: (text) => {
      if (!showsTransient) return;
      clear();
      if (text === '') return;
      stderr.write(safeText(text).slice(0, Math.max(1, (stderr.columns ?? 80) - 1)));
      hasTransient = true;
    },
    isTty,
    columns: stdout.columns ?? 80,
    rows: stdout.rows ?? 24,
    paint: paint(hasColour),
    now: Date.now,
  };
}
