import { SecretBox } from '../secrets/seal.ts';
import type { EventCounts } from './event-counts.ts';
import type { Watches } from './watch-definitions.ts';

/** What a node has to do with triggers; see `context.ts`. */
export interface Triggers extends Watches {
  readonly count: EventCounts;
  /** Absent where the node has no key to seal with: then there are no hooks. */
  readonly secrets?: SecretBox;
}

export function secretsOf(rootKey: string | undefined): { secrets?: SecretBox } {
  return rootKey === undefined ? {} : { secrets: new SecretBox(rootKey) };
}
