import { SecretBox } from '../secrets/seal.ts';
import type { EventCounts } from './event-counts.ts';
import type { Watches } from './watch-definitions.ts';

/** The part of a node that handles triggers. */
export interface Triggers extends Watches {
  readonly count: EventCounts;
  /** Absent if the node has no root key to encrypt with: hooks are then unavailable. */
  readonly secrets?: SecretBox;
}

export function secretsOf(rootKey: string | undefined): { secrets?: SecretBox } {
  return rootKey === undefined ? {} : { secrets: new SecretBox(rootKey) };
}
