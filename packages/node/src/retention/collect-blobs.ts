import type { Store } from '@signalbox/store';
import type { BlobStore } from '../blobs/blob-store.ts';

const DAY = 86_400_000;
/** References up to two days old are used as they are, and the clocks of nodes differ a little. */
const BLOBS_MS_MIN = 3 * DAY;

export interface BlobsToCollect {
  readonly blobs: Pick<BlobStore, 'collect'>;
  readonly partitions: number;
}

/**
 * Up to when blobs can be collected. A run refers to blobs that were put after it was submitted
 * (outputs, checkpoints) or shortly before (its input), never to older ones: what a new run takes from
 * an old one is put again. So nothing that was put well before the oldest run, the oldest entry of the
 * inbox and the retention of history can be referred to. No row has to be searched for references, and
 * no crash between an upload and its submission leaves more than a blob that is collected later.
 */
export async function blobHorizon(params: {
  store: Store;
  partitions: number;
  /** History before this time is dropped. */
  historyBeforeMs: number;
  /** How long before the oldest run a blob of it may have been put. */
  blobsMs: number;
}): Promise<number> {
  const { store, historyBeforeMs, blobsMs } = params;
  const partitions = Array.from({ length: params.partitions }, (_, i) => i);
  // In this order: an entry that becomes a run meanwhile is in a segment that is newer than all.
  const [waiting] = await store.readInbox({ partitions, limit: 1 });
  const [oldest] = await store.listSegments();
  const referredFrom = Math.min(
    historyBeforeMs,
    waiting?.atMs ?? historyBeforeMs,
    oldest?.fromMs ?? historyBeforeMs,
  );
  return referredFrom - Math.max(blobsMs, BLOBS_MS_MIN);
}
