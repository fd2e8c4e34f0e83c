import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cacheDir, root } from '../../tools/files.ts';
import { withLock } from '../../tools/lock.mjs';
import { peersDir } from './peer-modules.ts';

const FILES = ['package.json', 'package-lock.json'];
const source = import.meta.dirname;
const stampFile = join(peersDir, 'stamp');

/** Whether what is installed is what the lock file says. */
export function arePeersInstalled(): boolean {
  return existsSync(stampFile) && readFileSync(stampFile, 'utf8') === lockHash();
}

/** Installs the peers into the cache, outside of the project's own dependencies. */
export async function installPeers(): Promise<void> {
  if (arePeersInstalled()) return;
  mkdirSync(cacheDir, { recursive: true });
  await withLock(join(cacheDir, 'peers.lock'), () => {
    if (!arePeersInstalled()) install();
  });
}

function install(): void {
  process.stderr.write('bench: installing the peers, once\n');
  rmSync(peersDir, { recursive: true, force: true });
  mkdirSync(peersDir, { recursive: true });
  for (const file of FILES) cpSync(join(source, file), join(peersDir, file));
  cpSync(join(root, '.npmrc'), join(peersDir, '.npmrc'));
  // The driver's own Node.js comes first on the path; its npm may be absent, and any will do.
  const args = ['ci', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'];
  const script = process.env['npm_execpath'];
  const [file, first] =
    script !== undefined && /\.c?js$/.test(script) ? [process.execPath, [script]] : ['npm', []];
  const result = spawnSync(file, [...first, ...args], { cwd: peersDir, encoding: 'utf8' });
  if (result.status !== 0) {
    throw new Error(`the peers cannot be installed: ${result.stderr ?? result.error}`);
  }
  writeFileSync(stampFile, lockHash());
}

function lockHash(): string {
  const hash = createHash('sha256');
  for (const file of FILES) hash.update(readFileSync(join(source, file)));
  return hash.digest('hex');
}
