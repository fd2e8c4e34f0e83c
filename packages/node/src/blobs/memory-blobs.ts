import { createHash } from 'node:crypto';
import type { BlobRef } from '@signalbox/protocol';
import type { BlobStore } from '../context.ts';
import { folderOf } from './blob-name.ts';

/** Beside a store in memory: gone with the process, like everything else there. */
export class MemoryBlobs implements BlobStore {
  readonly #blobs = new Map<string, Uint8Array>();

  async put(tenant: string, bytes: Uint8Array): Promise<BlobRef> {
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    this.#blobs.set(`${folderOf(tenant)}/${sha256}`, bytes.slice());
    return { name: sha256, bytes: bytes.length, sha256 };
  }

  async get(tenant: string, name: string): Promise<Uint8Array | null> {
    return this.#blobs.get(`${folderOf(tenant)}/${name}`)?.slice() ?? null;
  }
}
