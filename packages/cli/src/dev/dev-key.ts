import { randomBytes } from 'node:crypto';
import { chmodSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { keyPath, readDevKey } from '../data-folder/data-folder.ts';

/** The key of this folder; made on the first start, readable by its owner alone. */
export function devKey(folder: string): string {
  const known = readDevKey(folder);
  const path = keyPath(folder);
  if (known !== null) {
    // Somebody may have copied the folder: whoever can read the key owns the node.
    if (process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o600);
    return known;
  }
  const key = randomBytes(32).toString('hex');
  // A mode applies to new files only: an empty file that others can read must not get the key.
  rmSync(path, { force: true });
  writeFileSync(path, `${key}\n`, { mode: 0o600, flag: 'wx' });
  return key;
}
