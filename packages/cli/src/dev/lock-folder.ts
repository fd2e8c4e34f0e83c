import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { UserError } from '../user-error.ts';
import { folderError, readDevState } from './data-folder.ts';

const LOCK = 'dev.lock';

/**
 * Takes the folder for this process, and answers how to give it back. The lock is the file lock of
 * a small SQLite file: it ends with the process however that dies, which a file with a process id
 * in it does not.
 */
export function lockFolder(folder: string, jobs: string | null = null): () => void {
  const path = join(folder, LOCK);
  let lock: DatabaseSync | null = null;
  try {
    lock = new DatabaseSync(path, { timeout: 0 });
    lock.exec('BEGIN EXCLUSIVE');
    return () => lock?.close();
  } catch (error) {
    lock?.close();
    if (!isBusy(error)) throw folderError(folder, error);
  }
  const state = readDevState(folder);
  const where = state === null ? '' : `, at ${state.url} (process ${state.pid})`;
  throw new UserError(
    'conflict',
    `signalbox dev already runs on ${folder}${where}`,
    jobs === null
      ? 'use it from this folder, or start another with --data OTHER-FOLDER --port 0'
      : `attach your jobs to it: signalbox apply -f ${jobs} && signalbox worker --jobs ${jobs}`,
  );
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && (Number(error.errcode) & 0xff) === 5;
}
