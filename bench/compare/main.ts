// npm run bench: Signalbox and its peers under the same load, on the same machine, in turns.
import { installPeers } from '../peers/install-peers.ts';
import { nowMs } from './clock.ts';
import { type Comparison, compare, joined } from './compare.ts';
import { describeEnvironment } from './environment.ts';
import { HELP, type Options, parseOptions, UsageError } from './options.ts';
import { measureQuick, QUICK_SYSTEMS } from './quick/quick.ts';
import { quickAnswer } from './quick/quick-answer.ts';
import { quietest } from './quick/quietest.ts';
import { renderText } from './report/text.ts';
import { writeReport } from './report/write-report.ts';
import { Servers } from './servers/servers.ts';
import { ALL_SYSTEMS } from './systems/all-systems.ts';
import { availableSystems } from './systems/available-systems.ts';

const EXIT_USAGE = 2;
const EXIT_DISTURBED = 3;
const EXIT_INTERRUPTED = 130;

const log = (line: string): void => void process.stderr.write(`${line}\n`);

if (process.argv.includes('--help')) {
  process.stdout.write(HELP);
  process.exit();
}
const options = readOptions();
const servers = new Servers({ dropsDatabases: options.mode !== 'quick' });

let isStopping = false;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => {
    isStopping = true;
    log('stopping');
    void servers.cleanup.run().finally(() => process.exit(EXIT_INTERRUPTED));
  });
}

function readOptions(): Options {
  try {
    return parseOptions(process.argv.slice(2), ALL_SYSTEMS);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    log(error.message);
    return process.exit(EXIT_USAGE);
  }
}

async function runQuick({ json, disturbedOk }: Options): Promise<number> {
  const startedAtMs = nowMs();
  const systems = ALL_SYSTEMS.filter(({ name }) => QUICK_SYSTEMS.includes(name));
  const environment = describeEnvironment(systems, servers);
  const measurements = await measureQuick({ systems, servers, disturbedOk, log });
  const answer = quickAnswer({
    systems,
    measurements: quietest(measurements),
    environment: await environment,
    seconds: (nowMs() - startedAtMs) / 1_000,
  });
  if (answer.isDisturbed) log('others used the machine: the answer says so, and proves little');
  process.stdout.write(`${JSON.stringify(answer, null, json ? 0 : 2)}\n`);
  return 0;
}

/** A figure that says more about other programs than about the measured ones is not shown. */
function isRefused({ lines }: Comparison, { disturbedOk }: Options): boolean {
  if (disturbedOk) return false;
  const disturbed = lines.filter((line) => line.isDisturbed);
  for (const { shape, label, system } of disturbed) log(`disturbed: ${shape} ${label} ${system}`);
  return disturbed.length > 0;
}

/** A shape is written when it is done: what goes wrong with a later one does not take it back. */
async function runRounds(options: Options): Promise<number> {
  const environment = await describeEnvironment(options.systems, servers);
  const accepted: Comparison[] = [];
  for (const shape of options.shapes) {
    const comparison = await compare({ shape, options, environment, servers, log });
    if (isRefused(comparison, options)) continue;
    if (options.write) writeReport(comparison, ALL_SYSTEMS);
    accepted.push(comparison);
  }
  const [first, ...others] = accepted;
  if (first !== undefined) {
    const all = joined([first, ...others]);
    const text = options.json ? `${JSON.stringify(all)}\n` : renderText(all, options.systems);
    process.stdout.write(text);
  }
  if (accepted.length === options.shapes.length) return 0;
  log('others used the machine: no figures of that. --disturbed-ok shows them with a mark');
  return EXIT_DISTURBED;
}

async function run(asked: Options): Promise<number> {
  await installPeers();
  if (asked.mode === 'quick') return runQuick(asked);
  return runRounds({ ...asked, systems: availableSystems(asked.systems, log) });
}

try {
  process.exitCode = await run(options);
  // All sessions are closed. The keeper of the database server stops it and removes its files when
  // this process is gone; waiting for that would take seconds that the quick answer does not have.
  if (options.mode === 'quick') process.exit();
} catch (error) {
  // Parts that are killed on request are no news; the process ends when all of them are gone.
  if (!isStopping) throw error;
} finally {
  if (!isStopping) await servers.cleanup.run();
}
