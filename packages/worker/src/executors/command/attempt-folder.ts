import { chmod, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** A new folder that only this user can enter. */
export async function makeAttemptFolder(root: string): Promise<string> {
  await mkdir(root, { recursive: true });
  return mkdtemp(join(root, 'signalbox-attempt-'));
}

/** False if something could not be removed. */
export async function removeAttemptFolder(folder: string): Promise<boolean> {
  const remove = async (): Promise<boolean> => {
    try {
      await rm(folder, { recursive: true, force: true, maxRetries: 3, retryDelay: 20 });
      return true;
    } catch {
      return false;
    }
  };
  if (await remove()) return true;
  // A command may take the rights off its own folders, which would keep what is in them.
  await openFolders(folder);
  return remove();
}

async function openFolders(folder: string): Promise<void> {
  try {
    await chmod(folder, 0o700);
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      // Not through links: they lead to files of others.
      if (entry.isDirectory()) await openFolders(join(folder, entry.name));
    }
  } catch {
    // A folder that cannot be opened cannot be removed; the caller reports it.
  }
}
