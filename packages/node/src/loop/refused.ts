import type { Answer } from '@signalbox/engine';

const MESSAGES = {
  not_owner: 'this node does not hold the partition',
  overloaded: 'too much is waiting here; try again shortly',
  unavailable: 'the store cannot be reached; nothing was accepted',
  unknown: 'it may have been accepted; ask again with the same idempotency key',
} as const;

export type Refused = Answer & { readonly kind: 'refused' };

export function refused(code: keyof typeof MESSAGES): Refused {
  return { kind: 'refused', code, message: MESSAGES[code] };
}

/** The same for each of what was asked together. */
export function refusedAll(asked: readonly unknown[], code: keyof typeof MESSAGES): Answer[] {
  const answer = refused(code);
  return asked.map(() => answer);
}

/** The key belongs to a submission that waits in the inbox under this id. */
export function refusedReserved(entry: string): Refused {
  const message = `the key belongs to the submission ${entry}, which waits to be taken in`;
  return { kind: 'refused', code: 'key_reserved', message, entry };
}
