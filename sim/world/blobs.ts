import type { BlobStore } from '@signalbox/node/context';
import type { BlobRef } from '@signalbox/protocol';
import { hashHistory } from '../history.ts';

/** Where payloads rest that are too large for the journal: one place for all nodes, without faults. */
export class Blobs implements BlobStore {
  readonly #blobs = new Map<string, Uint8Array>();

  async put(tenant: string, bytes: Uint8Array): Promise<BlobRef> {
    const name = hashHistory([tenant, this.#blobs.size]).repeat(4);
    this.#blobs.set(`${tenant}/${name}`, bytes.slice());
    return { name, bytes: bytes.length, sha256: name };
  }

  async get(tenant: string, name: string): Promise<Uint8Array | null> {
    return this.#blobs.get(`${tenant}/${name}`) ?? null;
  }

  async collect(): Promise<number> {
    return 0;
  }
}
