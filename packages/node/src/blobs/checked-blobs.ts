import { createHash } from 'node:crypto';
import { type Store, StoreError } from '@signalbox/store';
import { digestIn } from './blob-name.ts';
import type { BlobStore } from './blob-store.ts';

const NO_BYTES = new Uint8Array(0);

/** Blobs that are compared with the digest in their name: bytes that do not match it go to nobody. */
export function checkedBlobs(blobs: BlobStore, store: Pick<Store, 'setAside'>): BlobStore {
  return {
    put: (tenant, bytes) => blobs.put(tenant, bytes),
    collect: (beforeMs) => blobs.collect(beforeMs),
    get: async (tenant, name) => {
      const bytes = await blobs.get(tenant, name);
      if (bytes === null || sha256Of(bytes) === digestIn(name)) return bytes;
      // A blob may be large: it stays where it is, and only its name is written down.
      const error = `${bytes.length} bytes do not match the SHA-256 hash in the name`;
      const place = { kind: 'blob', key: name, partition: null, tenant } as const;
      await store.setAside({ ...place, error, bytes: NO_BYTES });
      throw new StoreError('damaged', `blob ${name} is damaged; see "signalbox doctor"`);
    },
  };
}

function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
