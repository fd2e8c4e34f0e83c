import { parseArgs } from 'node:util';
import { FULL, SHORT, type Sizes } from './shapes/sizes.ts';
import { SHAPES, type Shape, type System } from './systems/system.ts';

/** Stands for every system that is Signalbox. */
const VARIANTS = 'signalbox-variants';

export interface Options {
  readonly mode: 'rounds' | 'quick';
  readonly shapes: readonly Shape[];
  readonly systems: readonly System[];
  readonly rounds: number;
  /** For shapes whose storage is filled first, which takes minutes each time. */
  readonly longRounds: number;
  readonly sizes: Sizes;
  readonly json: boolean;
  readonly write: boolean;
  readonly disturbedOk: boolean;
}

export class UsageError extends Error {}

export const HELP = `npm run bench -- [options]: Signalbox beside its peers, in turns on this machine

  --shape LIST      what to measure (${SHAPES}); steady if left out
  --all             every shape
  --against LIST    peers by name; all of them if left out
  --only LIST       systems by name; ${VARIANTS} stands for all that are Signalbox
  --rounds N        rounds of each shape, 3 if left out
  --long-rounds N   rounds of backlog, history and idle, 1 if left out
  --backlog LIST    waiting tasks of the shape backlog; peers are spared more than a million
  --history LIST    ended tasks of the shape history; the same
  --short           small sizes, to see that everything runs
  --quick           ratios to the best PostgreSQL peer within 50 s once the peers are installed, as one
                    object; it says isDisturbed, and refuses nothing
  --json            one object instead of tables
  --write           renews the tables and plots of docs/performance.md of the shapes that were measured,
                    each when it is done; the others stay
  --disturbed-ok    shows figures, marked, although others used the machine; exit code 3 without

steady, single, latency and drain are single tasks; pipeline is runs of 20 tasks; tenants is 200 tenants
with a limit each; cron is schedules that are due at the same time; backlog and history are stores that
are full of waiting and of ended tasks. Where a peer has nothing of the kind, its table says what it
did instead.
`;

export function parseOptions(args: readonly string[], all: readonly System[]): Options {
  const { values } = read(args);
  const sizes = sizesOf(values);
  return {
    mode: values.quick ? 'quick' : 'rounds',
    shapes: values.all ? SHAPES : shapesOf(values.shape ?? 'steady'),
    systems: systemsOf(values, all),
    rounds: count('rounds', values.rounds),
    longRounds: count('long-rounds', values['long-rounds']),
    sizes,
    json: values.json,
    write: values.write,
    disturbedOk: values['disturbed-ok'],
  };
}

function read(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        shape: { type: 'string' },
        against: { type: 'string' },
        only: { type: 'string' },
        rounds: { type: 'string', default: '3' },
        'long-rounds': { type: 'string', default: '1' },
        backlog: { type: 'string' },
        history: { type: 'string' },
        json: { type: 'boolean', default: false },
        quick: { type: 'boolean', default: false },
        all: { type: 'boolean', default: false },
        write: { type: 'boolean', default: false },
        short: { type: 'boolean', default: false },
        'disturbed-ok': { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : `${error}`);
  }
}

function shapesOf(text: string): readonly Shape[] {
  return text.split(',').map((name) => {
    const shape = SHAPES.find((each) => each === name);
    if (shape === undefined) throw new UsageError(`no shape ${name}; there are ${SHAPES}`);
    return shape;
  });
}

/** Peers by `against`, all of them where it is absent; `only` then picks by name. */
function systemsOf(
  { against, only }: { against?: string | undefined; only?: string | undefined },
  all: readonly System[],
): readonly System[] {
  const peers = against?.split(',').filter((name) => name !== '');
  const picked = only?.split(',');
  for (const name of [...(peers ?? []), ...(picked ?? [])]) {
    if (name === VARIANTS || all.some((system) => system.name === name)) continue;
    throw new UsageError(`no system ${name}; there are ${all.map((system) => system.name)}`);
  }
  return all.filter(({ name, isPeer }) => {
    if (isPeer && peers !== undefined && !peers.includes(name)) return false;
    if (picked === undefined) return true;
    return picked.includes(name) || (!isPeer && picked.includes(VARIANTS));
  });
}

function sizesOf(values: {
  short: boolean;
  backlog?: string | undefined;
  history?: string | undefined;
}): Sizes {
  const { backlog, history } = values;
  return {
    ...(values.short ? SHORT : FULL),
    ...(backlog !== undefined && { backlogTasks: counts('backlog', backlog) }),
    ...(history !== undefined && { historyTasks: counts('history', history) }),
  };
}

/** In their order, because the report compares the largest with the smallest. */
function counts(name: string, text: string): readonly number[] {
  return text
    .split(',')
    .map((each) => count(name, each))
    .toSorted((a, b) => a - b);
}

function count(name: string, text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) {
    throw new UsageError(`--${name} is a whole number above 0, not ${text}`);
  }
  return value;
}
