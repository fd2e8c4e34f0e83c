// npm run model: random requests and faults against real processes, judged by a model.
import { parseArgs } from 'node:util';
import { drawOptions } from './options.ts';
import { runModel } from './run-model.ts';

const USAGE = `npm run model -- [options]
  --seeds N      how many seeds, one after the other (1)
  --from S       the first of them (1)
  --seconds T    how long requests and faults go on, for each seed (60)
  --store S      sqlite or postgres, for every seed
  --nodes N      how many nodes, over postgres
  --json         one JSON object for each seed`;

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

async function main(): Promise<boolean> {
  const { values } = parseArgs({
    options: {
      seeds: { type: 'string', default: '1' },
      from: { type: 'string', default: '1' },
      seconds: { type: 'string', default: '60' },
      store: { type: 'string' },
      nodes: { type: 'string' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    print(USAGE);
    return true;
  }
  const { store } = values;
  if (store !== undefined && store !== 'sqlite' && store !== 'postgres') throw new Error(USAGE);
  const count = {
    seeds: Number(values.seeds),
    from: Number(values.from),
    seconds: Number(values.seconds),
  };
  if (!Object.values(count).every((value) => Number.isInteger(value) && value > 0)) {
    throw new RangeError(`--seeds, --from and --seconds are whole numbers above 0\n${USAGE}`);
  }
  let isGood = true;
  for (let i = 0; i < count.seeds; i++) {
    const seed = count.from + i;
    const options = drawOptions({
      seed,
      seconds: count.seconds,
      ...(store === undefined ? {} : { store }),
      ...(values.nodes === undefined ? {} : { nodes: Number(values.nodes) }),
    });
    print(JSON.stringify(options));
    const { problems, logs, ...counts } = await runModel(options);
    if (problems.length > 0) isGood = false;
    for (const problem of problems.slice(0, 50)) print(`  ${problem}`);
    if (logs !== '') print(logs);
    const summary = { seed, problems: problems.length, ...counts };
    print(values.json ? JSON.stringify(summary) : `seed ${seed}: ${JSON.stringify(summary)}`);
  }
  return isGood;
}

process.exitCode = (await main()) ? 0 : 1;
