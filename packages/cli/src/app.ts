import type { Terminal } from './print/terminal.ts';

/** The environment of a command. Tests provide their own. */
export interface App {
  /** How the user calls it: `signalbox`, `./signalbox`, `npx signalbox`, … */
  readonly command: string;
  readonly terminal: Terminal;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Everything on standard input. */
  readonly readInput: () => Promise<Uint8Array>;
  /** Standard input as it arrives. */
  readonly inputChunks: () => AsyncIterable<Uint8Array>;
  /** Asks a yes-or-no question; null if the input is not a terminal. */
  readonly confirm: (question: string) => Promise<boolean | null>;
}
