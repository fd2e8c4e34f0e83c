import { entryKey } from './reserved-key.ts';
import type { RunHead } from './run.ts';

const NO_KEYS: readonly string[] = [];

/** The keys of a run in the store: its idempotency key, and the name that its inbox entry gave it. */
export function keysOfHead({ key, inbox }: RunHead): readonly string[] {
  if (inbox === undefined) return key === undefined ? NO_KEYS : [key];
  return key === undefined ? [entryKey(inbox)] : [key, entryKey(inbox)];
}
