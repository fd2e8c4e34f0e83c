import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cacheDir, listFiles } from '../../tools/files.ts';

/** Not below the peers of npm, whose folder is emptied when their lock file changes. */
const programsDir = join(cacheDir, 'peers-go');
const BUILD_MS = 900_000;

export function goProgram(name: string): string {
  return join(programsDir, name);
}

/** Builds the Go module `bench/peers/<name>` unless it is built. Null, or why it cannot be. */
export function buildGoModule(name: string): string | null {
  const stampFile = goProgram(`${name}.stamp`);
  const hash = hashOf(['part', name]);
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === hash) return null;
  const folder = join(import.meta.dirname, name);
  const problem = go(['build', '-trimpath', '-o', goProgram(name), '.'], { cwd: folder });
  if (problem === null) writeFileSync(stampFile, hash);
  return problem;
}

/** Installs programs of a public module at `version` into a folder of their own. */
export function installGoPrograms(folder: string, paths: readonly string[]): string | null {
  const env = { ...process.env, GOBIN: goProgram(folder) };
  return go(['install', '-trimpath', ...paths], { env });
}

/** The version of a module that the Go module `bench/peers/<name>` requires. */
export function goModuleVersion(name: string, path: string): string {
  const text = readFileSync(join(import.meta.dirname, name, 'go.mod'), 'utf8');
  const line = text.split('\n').find((each) => each.trim().startsWith(`${path} v`));
  if (line === undefined) throw new Error(`${name} does not require ${path}`);
  return line.trim().slice(path.length + 2);
}

function go(args: readonly string[], options: { cwd?: string; env?: NodeJS.ProcessEnv }) {
  mkdirSync(programsDir, { recursive: true });
  const result = spawnSync('go', args, { ...options, encoding: 'utf8', timeout: BUILD_MS });
  if (result.error !== undefined) return `go cannot be run: ${result.error.message}`;
  return result.status === 0 ? null : `go ${args[0]} failed: ${result.stderr.trim()}`;
}

function hashOf(names: readonly string[]): string {
  const hash = createHash('sha256');
  for (const name of names) {
    const folder = join(import.meta.dirname, name);
    for (const file of listFiles('', folder)) {
      hash.update(`${name}/${file}\n`).update(readFileSync(join(folder, file)));
    }
  }
  return hash.digest('hex');
}
