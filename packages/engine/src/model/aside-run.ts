import type { PackedFact } from '../facts/decode-group.ts';

/**
 * A live run that cannot be continued, because its row or its job version cannot be read. Everything that
 * is known of it is kept, also in checkpoints: it continues when a later take-over can read both.
 */
export interface AsideRun {
  readonly seq: number;
  readonly ms: number;
  readonly tenant: string;
  /** Its job version and its line in the checkpoint; null where its row is to tell them. */
  readonly saved: {
    readonly job: string;
    readonly version: number;
    readonly line: readonly unknown[];
  } | null;
  /** What happened to it since, each with the epoch under which it was decided. */
  readonly facts: [epoch: number, fact: PackedFact & { readonly kind: 'fact' }][];
}
