import { type Blobs, needsBlob, storePayload } from '../blobs.ts';
import type { HeldAttempt } from './held-attempt.ts';

/** Tells the node the state of a running attempt; a large one goes to the blob store first. */
export async function saveCheckpoint(params: {
  held: HeldAttempt;
  state: Uint8Array;
  blobs: Blobs | undefined;
}): Promise<void> {
  const { held, state, blobs } = params;
  const { tenant } = held.assign;
  const saved = needsBlob(state)
    ? await storePayload({ blobs, tenant, payload: state, signal: held.signal })
    : state;
  if (held.isOver) return;
  held.saved = saved;
  held.link.say({ kind: 'checkpoint', ref: held.ref, state: saved });
}
