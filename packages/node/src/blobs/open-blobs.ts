import { join } from 'node:path';
import type { BlobStore } from '../context.ts';
import { DirectoryBlobs } from './directory-blobs.ts';
import { MemoryBlobs } from './memory-blobs.ts';
import type { S3Settings } from './s3-blobs.ts';

/** Where payloads too large for the journal go: S3 if it is set up, else beside the data. */
export async function openBlobs(params: {
  dataDir: string | null;
  s3?: S3Settings;
  now: () => number;
}): Promise<BlobStore> {
  const { now } = params;
  if (params.s3 !== undefined) {
    const { S3Blobs } = await import('./s3-blobs.ts');
    return new S3Blobs(params.s3, now);
  }
  if (params.dataDir === null) return new MemoryBlobs(now);
  return new DirectoryBlobs(join(params.dataDir, 'blobs'), now);
}
