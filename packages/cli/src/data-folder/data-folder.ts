import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { UserError } from '../user-error.ts';

const KEY = 'key';
const STATE = 'dev.json';

/** The address of a running `signalbox dev`, written for other commands. */
export interface DevState {
  readonly url: string;
  readonly pid: number;
}

export function readDevState(folder: string): DevState | null {
  const text = readIfThere(join(folder, STATE));
  if (text === null) return null;
  try {
    const state = JSON.parse(text) as Partial<DevState>;
    return typeof state.url === 'string' ? { url: state.url, pid: Number(state.pid) } : null;
  } catch {
    return null;
  }
}

export function writeDevState(folder: string, state: DevState): void {
  writeFileSync(join(folder, STATE), `${JSON.stringify(state)}\n`, { mode: 0o600 });
}

export function removeDevState(folder: string): void {
  rmSync(join(folder, STATE), { force: true });
}

export function keyPath(folder: string): string {
  return join(folder, KEY);
}

export function readDevKey(folder: string): string | null {
  return readIfThere(keyPath(folder))?.trim() || null;
}

/** Creates the folder of the setting `data`. */
export function makeFolder(folder: string): void {
  try {
    make(folder);
  } catch (error) {
    throw folderError(folder, error);
  }
}

export function folderError(folder: string, error: unknown): UserError {
  const why = error instanceof Error ? error.message : String(error);
  return new UserError('usage', `--data: cannot use the folder ${folder}: ${why}`);
}

/** Not with `recursive`, which never ends if a parent exists but accepts no folders, as in /proc. */
function make(folder: string): void {
  if (isFolder(folder)) return;
  const parent = dirname(folder);
  if (parent !== folder) make(parent);
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another process may have been faster.
    if (!isFolder(folder)) throw error;
  }
}

/**
 * The mode of the folder if other users can enter it, as octal digits; otherwise null. It is not changed:
 * the folder may contain files of other programs, and the files of the node are private by themselves.
 */
export function exposedMode(folder: string): string | null {
  if (process.platform === 'win32') return null;
  const mode = statSync(folder).mode & 0o777;
  return (mode & 0o077) === 0 ? null : mode.toString(8);
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
