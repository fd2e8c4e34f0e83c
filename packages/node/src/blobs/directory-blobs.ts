import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rmdir, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { BlobRef } from '@signalbox/protocol';
import { blobName, dayFolderOf, folderOf, isBlobName, isFolderBefore } from './blob-name.ts';
import type { BlobStore } from './blob-store.ts';

/** Blobs as files: `<folder>/<tenant's digest>/day-<number>/<name>`. */
export class DirectoryBlobs implements BlobStore {
  readonly #folder: string;
  readonly #now: () => number;

  constructor(folder: string, now: () => number = Date.now) {
    this.#folder = folder;
    this.#now = now;
  }

  async put(tenant: string, bytes: Uint8Array): Promise<BlobRef> {
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const name = blobName(sha256, this.#now());
    const folder = this.#folderFor(tenant, name);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const path = join(folder, name);
    const temporary = `${path}.${randomUUID()}`;
    try {
      const file = await open(temporary, 'wx', 0o600);
      try {
        await file.writeFile(bytes);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(temporary, path);
    } catch (error) {
      await unlink(temporary).catch(() => {});
      throw error;
    }
    await syncFolder(folder);
    return { name, bytes: bytes.length, sha256 };
  }

  async get(tenant: string, name: string): Promise<Uint8Array | null> {
    if (!isBlobName(name)) return null;
    try {
      return await readFile(join(this.#folderFor(tenant, name), name));
    } catch (error) {
      if (isAbsent(error)) return null;
      throw error;
    }
  }

  async collect(beforeMs: number): Promise<number> {
    let collected = 0;
    for (const tenant of await namesIn(this.#folder)) {
      for (const day of await namesIn(join(this.#folder, tenant))) {
        if (!isFolderBefore(day, beforeMs)) continue;
        collected += await emptyFolder(join(this.#folder, tenant, day), beforeMs);
      }
    }
    return collected;
  }

  #folderFor(tenant: string, name: string): string {
    return join(this.#folder, folderOf(tenant), dayFolderOf(name));
  }
}

/** Removes the files that the disk, too, calls old; half-written ones of a crash are among them. */
async function emptyFolder(folder: string, beforeMs: number): Promise<number> {
  let removed = 0;
  for (const name of await namesIn(folder)) {
    const path = join(folder, name);
    try {
      const { mtimeMs } = await stat(path);
      if (mtimeMs >= beforeMs) continue;
      await unlink(path);
      if (isBlobName(name)) removed++;
    } catch (error) {
      // Another node that shares the folder was first.
      if (!isAbsent(error)) throw error;
    }
  }
  // Not empty, or gone: the next time.
  await rmdir(folder).catch(() => {});
  return removed;
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    throw error;
  }
}

function isAbsent(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}

/** A renamed file is only there after a crash if its folder is on the disk, too. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
