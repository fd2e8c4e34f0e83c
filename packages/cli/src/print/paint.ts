import type { RunState, TaskState } from '@signalbox/protocol';
import { colour } from './safe-text.ts';

const CODES = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  blue: [34, 39],
  cyan: [36, 39],
} as const;

type Colour = keyof typeof CODES;
type State = RunState | TaskState;
export type Paint = Readonly<Record<Colour, (text: string) => string>> & {
  readonly state: (state: State) => string;
  /** Any text in the colour of a state. */
  readonly ofState: (state: State) => (text: string) => string;
};

const STATE_COLOUR: Readonly<Record<State, Colour>> = {
  PENDING: 'dim',
  QUEUED: 'yellow',
  ASSIGNED: 'cyan',
  RUNNING: 'blue',
  PAUSED: 'yellow',
  SUCCEEDED: 'green',
  PARTIAL: 'yellow',
  FAILED: 'red',
  TIMED_OUT: 'red',
  QUARANTINED: 'red',
  CANCELLED: 'dim',
  SKIPPED: 'dim',
};

/** Colours, or functions that leave text as it is. */
export function paint(hasColour: boolean): Paint {
  const one = (name: Colour) => (text: string) => {
    const [on, off] = CODES[name];
    return hasColour ? `${colour(on)}${text}${colour(off)}` : text;
  };
  const colours = Object.fromEntries(
    (Object.keys(CODES) as Colour[]).map((name) => [name, one(name)]),
  ) as Record<Colour, (text: string) => string>;
  // A newer node may report a state that is not in the table.
  const ofState = (name: State) =>
    Object.hasOwn(STATE_COLOUR, name) ? colours[STATE_COLOUR[name]] : (text: string) => text;
  return { ...colours, ofState, state: (name) => ofState(name)(name) };
}
