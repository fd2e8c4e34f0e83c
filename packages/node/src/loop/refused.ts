import type { Answer } from '@signalbox/engine';

export type Refused = Answer & { readonly kind: 'refused' };

type Why =
  | 'not_owner'
  | 'overloaded'
  | 'unavailable'
  | 'not_stored'
  | 'not_yet'
  | 'damaged_key'
  | 'unknown';

const REFUSALS: Readonly<Record<Why, Refused>> = {
  not_owner: refusal('not_owner', 'this node does not own the partition; retry'),
  overloaded: refusal('overloaded', 'the node is overloaded; retry later'),
  unavailable: refusal('unavailable', 'the store is unavailable; nothing was accepted, retry'),
  not_stored: refusal('unavailable', 'the store refused the commit; nothing was accepted, retry'),
  not_yet: refusal('unavailable', 'the nested run is still being read; retry'),
  damaged_key: refusal(
    'damaged',
    'the stored row of the idempotency key is damaged; an operator finds it with "signalbox doctor"',
  ),
  unknown: refusal('unknown', 'the outcome is unknown; retry with the same idempotency key'),
};

function refusal(code: Refused['code'], message: string): Refused {
  return { kind: 'refused', code, message };
}

export function refused(why: Why): Refused {
  return REFUSALS[why];
}

/** The same for each of what was asked together. */
export function refusedAll(asked: readonly unknown[], why: Why): Answer[] {
  const answer = refused(why);
  return asked.map(() => answer);
}

/** The key belongs to a submission that waits in the inbox under this id. */
export function refusedReserved(entry: string): Refused {
  const message = `the idempotency key belongs to the submission ${entry}, which is not processed yet`;
  return { kind: 'refused', code: 'key_reserved', message, entry };
}
