export interface Lease {
  readonly partition: number;
  readonly owner: string;
  readonly epoch: number;
  readonly expiresAtMs: number;
}

export type AcquireResult =
  | {
      readonly kind: 'acquired';
      readonly epoch: number;
      /** Seq of the fence group; the next append is this plus one. */
      readonly seq: number;
      readonly nowMs: number;
    }
  | {
      readonly kind: 'held';
      readonly owner: string;
      readonly epoch: number;
      readonly remainingMs: number;
    };

export interface BeatResult {
  readonly nowMs: number;
  readonly nodes: readonly { node: string; address: string }[];
  readonly renewed: readonly number[];
  readonly lost: readonly number[];
}
