import { randomBytes } from 'node:crypto';
import { chmodSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { keyPath, readDevKey } from '../data-folder/data-folder.ts';

/** The key of this folder; created on the first start, readable only by its owner. */
export function devKey(folder: string): string {
  const stored = readDevKey(folder);
  const path = keyPath(folder);
  if (stored !== null) {
    // The folder may have been copied, and anyone who can read the key controls the node.
    if (process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o600);
    return stored;
  }
  const key = randomBytes(32).toString('hex');
  // A mode applies to new files only: an empty file that others can read must not get the key.
  rmSync(path, { force: true });
  writeFileSync(path, `${key}\n`, { mode: 0o600, flag: 'wx' });
  return key;
}
