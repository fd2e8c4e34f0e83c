import { type Blobs, needsBlob, storePayload } from '../blobs.ts';
import type { HeldAttempt } from './held-attempt.ts';

/** Sends the state of a running attempt to its node; a large state is stored as a blob first. */
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
  // A later save may have been faster; the next attempt starts from the latest state.
  if (held.isOver || number < held.savedNumber) return;
  held.saved = saved;
  held.savedNumber = number;
  held.link.send({ kind: 'checkpoint', ref: held.ref, state: saved });
}
