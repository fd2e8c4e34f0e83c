import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import type { BlobStore } from './blob-store.ts';
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
  const folder = join(params.dataDir, 'blobs');
  // A folder from an earlier start, or from a backup, may have wider permissions. It may also be absent.
  await chmod(folder, 0o700).catch(() => {});
  return new DirectoryBlobs(folder, now);
}
