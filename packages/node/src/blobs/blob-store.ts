import type { BlobRef } from '@signalbox/protocol';

/** Stores payloads too large for the journal: a directory, or S3. */
export interface BlobStore {
  /** The name contains the day: a later reference needs a renewed blob (`renewPayload`). */
  put(tenant: string, bytes: Uint8Array): Promise<BlobRef>;
  /** Null if the blob is missing or belongs to another tenant. */
  get(tenant: string, name: string): Promise<Uint8Array | null>;
  /** Deletes every blob that was stored before the time, of all tenants; returns the number. */
  collect(beforeMs: number): Promise<number>;
}
