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
  held.savesBegun += 1;
  const number = held.savesBegun;
  const saved = needsBlob(state)
    ? await storePayload({ blobs, tenant, payload: state, signal: held.signal })
    : state;
  // A later one may have overtaken it: the last that was saved is what the next attempt begins from.
  if (held.isOver || number < held.savedNumber) return;
  held.saved = saved;
  held.savedNumber = number;
  held.link.say({ kind: 'checkpoint', ref: held.ref, state: saved });
}
