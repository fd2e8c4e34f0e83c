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
export type Paint = Readonly<Record<Colour, (text: string) => string>> & {
  readonly state: (state: string) => string;
  /** Any text in the colour of a state. */
  readonly ofState: (state: string) => (text: string) => string;
};

const STATE_COLOUR: Readonly<Record<string, Colour>> = {
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
  const ofState = (name: string) => {
    const shade = STATE_COLOUR[name];
    return shade === undefined ? (text: string) => text : colours[shade];
  };
  return { ...colours, ofState, state: (name) => ofState(name)(name) };
}
