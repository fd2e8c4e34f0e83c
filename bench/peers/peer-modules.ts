import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { cacheDir } from '../../tools/files.ts';

export const peersDir = join(cacheDir, 'peers');

/** Loads a peer from where `installPeers` put it. Its types are those that the caller needs of it. */
export function requirePeer<Module>(name: string): Module {
  return createRequire(join(peersDir, 'package.json'))(name) as Module;
}

export function peerVersion(name: string): string {
  const path = join(peersDir, 'node_modules', name, 'package.json');
  return (JSON.parse(readFileSync(path, 'utf8')) as { version: string }).version;
}
