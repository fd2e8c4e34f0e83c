import { chmodSync, closeSync, openSync, statSync } from 'node:fs';

const PRIVATE = 0o600;
/** SQLite gives these the mode of the database when it creates them, not when it finds them. */
const COMPANIONS = ['-wal', '-shm', '-journal'];

/**
 * Creates the file so that only its owner can read it, and narrows an existing one with its companions.
 * SQLite would create it with the umask of the process, which an embedding program may leave at 022.
 */
export function makePrivate(path: string): void {
  closeSync(openSync(path, 'a', PRIVATE));
  for (const file of [path, ...COMPANIONS.map((suffix) => `${path}${suffix}`)]) narrow(file);
}

function narrow(path: string): void {
  try {
    if ((statSync(path).mode & 0o077) !== 0) chmodSync(path, PRIVATE);
  } catch {
    // Absent, or owned by another user, who decides on its mode.
  }
}
