import type { Store } from '../../store.ts';
import type { Model } from './model.ts';
import type { Random } from './random.ts';

/** One question put to both stores. */
export interface Step {
  readonly call: (store: Store) => Promise<unknown>;
  /** Whether this answer shows the operation doing what it is for. */
  readonly succeeded: (answer: unknown) => boolean;
  /** What the next questions should know. */
  readonly learn?: (answer: unknown) => void;
  /** The answer is a list without an order. */
  readonly isUnordered?: boolean;
  /** The answer depends on the clock or on how groups are cut: compared only if those are shared. */
  readonly isLoose?: boolean;
  /** Time to live that has to run out on both stores before the next step. */
  readonly expiresInMs?: number;
  /** Both clocks have to reach this before the call. */
  readonly notBeforeMs?: number;
}

/** Makes a step for the present state of things, or null when it has nothing to ask. */
export type Operation = (model: Model, random: Random) => Step | null;

export function step<T>(
  params: Omit<Step, 'call' | 'succeeded' | 'learn'> & {
    call: (store: Store) => Promise<T>;
    succeeded: (answer: T) => boolean;
    learn?: (answer: T) => void;
  },
): Step {
  return params as Step;
}
