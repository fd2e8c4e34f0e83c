import type { Evidence } from '../evidence.ts';

/** One promise, checked over a whole run of the world. Answers what breaks it, in plain words. */
export interface Checker {
  /** The pass of the table in the reliability notes that it is. */
  readonly name: string;
  readonly promise: string;
  check(evidence: Evidence): string[];
}
