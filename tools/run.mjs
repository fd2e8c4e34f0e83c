// Runs a command of the repository from any state of the clone: sets up first,
// then hands over to a Node.js that runs TypeScript. Plain JavaScript for Node 20.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { compileCache, nodePath, root, setup } from './setup.mjs';

/** A file, or a file and its first arguments. */
const commands = {
  start: ['packages/cli/src/main.mjs', 'dev'],
  signalbox: 'packages/cli/src/main.mjs',
  test: 'tools/test.ts',
  check: 'tools/check.ts',
  format: 'tools/format.ts',
  sim: 'sim/main.ts',
  bench: 'bench/compare/main.ts',
  'bench:core': 'bench/core/main.ts',
  'bench:edge': 'bench/edge/main.ts',
  model: 'test/model/main.ts',
  schemathesis: 'test/fuzz/schemathesis.ts',
  drill: 'test/drill/main.ts',
  damage: 'test/damage/main.ts',
  pack: 'tools/pack.ts',
  rows: 'tools/rows.ts',
};

const noWarning = '--disable-warning=ExperimentalWarning';

/** Commands of the product start faster from it; a test that counts or replaces code must not see it. */
const usesCompileCache = (name) => name === 'start' || name === 'signalbox';

function environment(node, isCommand) {
  const options = process.env.NODE_OPTIONS ?? '';
  return {
    ...process.env,
    TZ: 'UTC',
    ...(isCommand ? { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? compileCache } : {}),
    PATH: `${dirname(node)}${delimiter}${process.env.PATH ?? ''}`,
    NODE_OPTIONS: options.includes(noWarning) ? options : `${options} ${noWarning}`.trim(),
  };
}

/** Where it was typed: files on the command line are named from there. npm itself moves to the root. */
const typedIn = process.env.INIT_CWD ?? process.cwd();

const PARENT_POLL_MS = 200;

/** Whether npm runs this as a script of this repository, and not a shell that may end before the command. */
const isScript =
  process.env.npm_lifecycle_event === process.argv[2] &&
  process.env.npm_package_json === join(root, 'package.json');

/**
 * npm starts its scripts through a shell. A SIGTERM to npm ends that shell, which does not pass it on:
 * without this the node would stay behind. Polled, because no signal tells a process that its parent ended.
 */
function whenParentEnds(stop) {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    stop();
  }, PARENT_POLL_MS);
  timer.unref();
}

function run({ node, args, cwd, isCommand }) {
  const env = environment(node, isCommand);
  const child = spawn(node, args, { cwd, stdio: 'inherit', env });
  const forward = (signal) => {
    // A terminal already sends its interrupt to the whole group: a second one would read as "now!".
    if (signal === 'SIGINT' && process.stdin.isTTY) return;
    child.kill(signal);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, forward);
  if (isScript) whenParentEnds(() => child.kill('SIGTERM'));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve(code ?? 128 + (constants.signals[signal] ?? 0)));
  });
}

async function main([name, ...args]) {
  const [file, ...first] = [commands[name]].flat();
  if (file === undefined) {
    throw new Error(`unknown command ${name}; known: ${Object.keys(commands).join(', ')}`);
  }
  await setup({ compiles: usesCompileCache(name) });
  const cwd = name === 'signalbox' || name === 'pack' ? typedIn : root;
  return run({
    node: nodePath(),
    args: [noWarning, join(root, file), ...first, ...args],
    cwd,
    isCommand: usesCompileCache(name),
  });
}

main(process.argv.slice(2)).then(
  (code) => process.exit(code),
  (error) => {
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  },
);
