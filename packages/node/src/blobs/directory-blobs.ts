import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rename, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { BlobRef } from '@signalbox/protocol';
import type { BlobStore } from '../context.ts';
import { folderOf, isBlobName } from './blob-name.ts';

/** Blobs as files: `<folder>/<tenant's digest>/<first two of the name>/<name>`. */
export class DirectoryBlobs implements BlobStore {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The name is the digest of the bytes: the same payload twice is one file, and a retry is harmless. */
  async put(tenant: string, bytes: Uint8Array): Promise<BlobRef> {
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const folder = this.#folderFor(tenant, sha256);
    await mkdir(folder, { recursive: true });
    const path = join(folder, sha256);
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
    return { name: sha256, bytes: bytes.length, sha256 };
  }

  async get(tenant: string, name: string): Promise<Uint8Array | null> {
    if (!isBlobName(name)) return null;
    try {
      return await readFile(join(this.#folderFor(tenant, name), name));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
  }

  #folderFor(tenant: string, name: string): string {
    return join(this.#folder, folderOf(tenant), name.slice(0, 2));
  }
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
