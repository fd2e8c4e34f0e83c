/** A partition whose facts cannot be read or do not fit together: no node can go on with it. */
export class UnreadableJournal extends Error {
  override readonly name = 'UnreadableJournal';
  readonly partition: number;

  constructor(partition: number, cause: unknown) {
    const why = cause instanceof Error ? cause.message : String(cause);
    super(
      `the journal of partition ${partition} cannot be read: ${why}. Nothing was changed; ` +
        'start the version that wrote it, or restore the store from a backup',
      { cause },
    );
    this.partition = partition;
  }
}
