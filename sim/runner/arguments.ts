/** What the command line asks for. */
export interface Arguments {
  readonly seeds: number;
  /** The first of the seeds. */
  readonly from: number;
  /** One seed to replay, or null. */
  readonly seed: number | null;
  readonly minutes: number;
  readonly json: boolean;
  readonly log: boolean;
  readonly canaries: 'also' | 'only' | 'none';
  readonly determinism: 'some' | 'all' | 'none';
  readonly processes: number;
}

export const USAGE = `npm run sim -- [options]
  --seeds N          how many seeds (100)
  --from S           the first of them (1)
  --seed S           replay this one and print its options
  --minutes M        simulated minutes with faults (30)
  --log              with --seed: print the whole history
  --canaries         only the canaries
  --no-canaries      everything but the canaries
  --determinism D    some (every tenth seed twice), all or none
  --processes P      how many processes share the seeds (2)
  --json             one JSON object as the last line`;

export function parseArguments(args: readonly string[]): Arguments {
  const values = new Map<string, string>();
  const flags = new Set<string>();
  for (let i = 0; i < args.length; i++) {
    const name = args[i] as string;
    if (VALUES.has(name)) values.set(name, args[++i] ?? '');
    else if (FLAGS.has(name)) flags.add(name);
    else throw new RangeError(`unknown option ${name}\n${USAGE}`);
  }
  const number = (name: string, fallback: number): number => {
    const text = values.get(name);
    if (text === undefined) return fallback;
    const value = Number(text);
    if (text === '' || !Number.isFinite(value) || value < 0) {
      throw new RangeError(`${name} needs a number\n${USAGE}`);
    }
    return value;
  };
  const determinism = values.get('--determinism') ?? 'some';
  if (determinism !== 'some' && determinism !== 'all' && determinism !== 'none') {
    throw new RangeError(`--determinism is some, all or none\n${USAGE}`);
  }
  return {
    seeds: number('--seeds', 100),
    from: number('--from', 1),
    seed: values.has('--seed') ? number('--seed', 0) : null,
    minutes: number('--minutes', 30),
    json: flags.has('--json'),
    log: flags.has('--log'),
    canaries: flags.has('--canaries') ? 'only' : flags.has('--no-canaries') ? 'none' : 'also',
    determinism,
    processes: Math.max(1, number('--processes', 2)),
  };
}

const VALUES = new Set([
  '--seeds',
  '--from',
  '--seed',
  '--minutes',
  '--determinism',
  '--processes',
]);
const FLAGS = new Set(['--json', '--log', '--canaries', '--no-canaries']);
