import type { Terminal } from './print/terminal.ts';

/** What a command has around it. Tests hand in their own. */
export interface App {
  /** How this person calls it: `signalbox`, `./signalbox`, `npx signalbox`, … */
  readonly command: string;
  readonly terminal: Terminal;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Everything on standard input. */
  readonly readInput: () => Promise<Uint8Array>;
  /** Standard input as it comes. */
  readonly inputChunks: () => AsyncIterable<Uint8Array>;
  /** Asks a yes-or-no question; null where nobody is there to answer. */
  readonly confirm: (question: string) => Promise<boolean | null>;
}
