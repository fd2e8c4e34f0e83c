import type { App } from '../app.ts';
import { paint } from '../print/paint.ts';
import { safeText } from '../print/safe-text.ts';
import { asTyped } from '../typed-command.ts';

export interface FakeApp extends App {
  readonly out: string[];
  readonly notes: string[];
  /** Everything on standard output, and on standard error, as a shell would see it. */
  readonly texts: { out: string; err: string };
}

/** An app whose terminal gathers lines. */
export function fakeApp(params: {
  isTty?: boolean;
  hasColour?: boolean;
  environment?: Record<string, string>;
  cwd?: string;
  now?: number;
  command?: string;
  input?: string;
  /** Standard input in pieces, instead of `input`. */
  inputChunks?: readonly Uint8Array[];
  /** What a person at the terminal says to every question; left out where nobody is there. */
  answer?: boolean;
}): FakeApp {
  const out: string[] = [];
  const notes: string[] = [];
  const command = params.command ?? 'signalbox';
  const texts = { out: '', err: '' };
  const note = (text: string) => {
    notes.push(safeText(text));
    texts.err += `${safeText(text)}\n`;
  };
  const print = (text: string, end: string) => {
    out.push(text);
    texts.out += `${text}${end}`;
  };
  return {
    out,
    notes,
    texts,
    command,
    terminal: {
      line: (text) => print(safeText(text), '\n'),
      write: (text) => print(safeText(text), ''),
      raw: (text) => (text.endsWith('\n') ? print(text.slice(0, -1), '\n') : print(text, '')),
      note,
      transient: () => {},
      typed: (text) => asTyped(command, text),
      flushed: async () => {},
      isTty: params.isTty ?? false,
      columns: 80,
      rows: 24,
      paint: paint(params.hasColour ?? false),
      now: () => params.now ?? Date.now(),
    },
    environment: params.environment ?? {},
    cwd: params.cwd ?? '.',
    readInput: async () => Buffer.from(params.input ?? ''),
    inputChunks: async function* () {
      yield* params.inputChunks ?? [Buffer.from(params.input ?? '')];
    },
    confirm: async (question) => {
      if (params.answer === undefined) return null;
      note(question);
      return params.answer;
    },
  };
}
