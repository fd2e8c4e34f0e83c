import { createHash } from 'node:crypto';
import type { BlobRef } from '@signalbox/protocol';
import { blobName, dayEndOf, folderOf } from './blob-name.ts';
import type { BlobStore } from './blob-store.ts';

/** Beside a store in memory: gone with the process, like everything else there. */
export class MemoryBlobs implements BlobStore {
  readonly #blobs = new Map<string, { readonly name: string; readonly bytes: Uint8Array }>();
  readonly #now: () => number;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  async put(tenant: string, bytes: Uint8Array): Promise<BlobRef> {
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const name = blobName(sha256, this.#now());
    this.#blobs.set(`${folderOf(tenant)}/${name}`, { name, bytes: bytes.slice() });
    return { name, bytes: bytes.length, sha256 };
  }

  async get(tenant: string, name: string): Promise<Uint8Array | null> {
    return this.#blobs.get(`${folderOf(tenant)}/${name}`)?.bytes.slice() ?? null;
  }

  async collect(beforeMs: number): Promise<number> {
    let collected = 0;
    for (const [key, { name }] of this.#blobs) {
      const endMs = dayEndOf(name);
      if (endMs !== null && endMs <= beforeMs && this.#blobs.delete(key)) collected++;
    }
    return collected;
  }
}
