import type { CanaryResult } from '../canaries/all-canaries.ts';
import type { SeedResult } from '../simulate.ts';

/** What the parent hands to a child. */
export type Task =
  | {
      readonly kind: 'seed';
      readonly seed: number;
      readonly minutes: number;
      readonly twice: boolean;
    }
  | { readonly kind: 'canary'; readonly name: string };

export type Answer =
  | {
      readonly kind: 'seed';
      readonly result: Omit<SeedResult, 'options'>;
      /** The second run of the seed left the same log. */
      readonly isSame: boolean;
    }
  | ({ readonly kind: 'canary' } & CanaryResult);
