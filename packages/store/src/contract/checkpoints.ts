/** The folded state of each partition. Groups stay: dropping them is retention. */
export interface CheckpointStore {
  /**
   * Replaces the partition's checkpoint, atomically, if its seq is higher than the stored one and
   * `epoch` is the partition's current epoch; returns whether it did.
   */
  writeCheckpoint(checkpoint: Checkpoint): Promise<boolean>;
  /** The newest readable one of the last two; null if there is none. */
  readCheckpoint(partition: number): Promise<Checkpoint | null>;
}

export interface Checkpoint {
  readonly partition: number;
  readonly epoch: number;
  /** The last group whose facts are included. */
  readonly seq: number;
  /** Opaque; written and read whole, in order. */
  readonly chunks: readonly Uint8Array[];
}
