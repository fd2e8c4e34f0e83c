import type { Class } from './model/classes.ts';
import type { RunId } from './model/run-id.ts';
import type { RunState } from './model/states.ts';

/**
 * What a decision owes to a run that may live in another partition, on another node. It becomes
 * durable in the commit of that decision, in the inbox of where it goes, and leaves it in the commit
 * of the owner that heard it: no crash can have one without the other. Heard again, it changes nothing.
 */
export interface Word {
  /** The run that owes it. */
  readonly partition: number;
  readonly seq: number;
  readonly tenant: string;
  readonly saying: Saying;
  /** Bytes that go with it; opaque. */
  readonly payload: Uint8Array | null;
}

export type Saying =
  /** Nobody waits any more for the run under the key, whether it has begun or is yet to. */
  | {
      readonly kind: 'cancelNested';
      readonly job: string;
      readonly key: string;
      readonly of: RunId;
    }
  /** Whoever waits for the run under the key has become more urgent (PRI-13). */
  | {
      readonly kind: 'raiseNested';
      readonly job: string;
      readonly key: string;
      readonly of: RunId;
      readonly class: Class;
    }
  /** The run that a task waits for has ended; its output is the payload. */
  | {
      readonly kind: 'nestedEnded';
      readonly job: string;
      readonly to: { readonly partition: number; readonly seq: number };
      readonly task: number;
      readonly since: number;
      readonly run: string;
      readonly state: RunState;
      /** One of its approvals was not given, and says nothing of going on. */
      readonly isGateClosed: boolean;
      readonly error: string;
    };

/** Shared and never written: most steps owe nothing. */
export const NO_WORDS: Word[] = [];
