// npm run damage: one damaged row per round, and everything else must go on.
import { parseArgs } from 'node:util';
import { startPostgres } from '../../tools/postgres.ts';
import { runDamage } from './run-damage.ts';

const USAGE = `npm run damage -- [options]
  --rounds N     how many rows are damaged, one per round, on both databases together (1000)
  --seed S       decides which rows and how (random)
  --from N       the first round, to repeat one (1)
  --store S      sqlite or postgres, for every round`;

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

async function main(): Promise<boolean> {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '1000' },
      seed: { type: 'string', default: String(Math.floor(Math.random() * 1e6) + 1) },
      from: { type: 'string', default: '1' },
      store: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    print(USAGE);
    return true;
  }
  const [all, seed, from] = [values.rounds, values.seed, values.from].map(Number) as [
    number,
    number,
    number,
  ];
  const { store } = values;
  const stores = (['sqlite', 'postgres'] as const).filter((each) => (store ?? each) === each);
  if (
    ![all, seed, from].every((value) => Number.isInteger(value) && value > 0) ||
    stores.length === 0
  ) {
    throw new Error(USAGE);
  }
  let isGood = true;
  for (const each of stores) {
    const rounds = Math.ceil(all / stores.length);
    print(`${each}: ${rounds} rounds, seed ${seed}`);
    const server = each === 'postgres' ? await startPostgres() : null;
    const startedAt = performance.now();
    const common = { seed, rounds, from, progress: print };
    const report = await runDamage(
      server === null ? common : { ...common, postgres: server.url },
    ).finally(() => server?.stop());
    const seconds = Math.round((performance.now() - startedAt) / 1_000);
    if (report.problems.length > 0) isGood = false;
    const { problems, ...counts } = report;
    print(`${each}: ${JSON.stringify({ ...counts, problems: problems.length, seconds })}`);
  }
  return isGood;
}

process.exitCode = (await main()) ? 0 : 1;
