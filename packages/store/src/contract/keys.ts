import type { RunId } from '@signalbox/engine';

/** Idempotency keys: at most one run per (tenant, key) until the key is forgotten (I2). */
export interface KeyStore {
  /**
   * Runs that hold these keys; a key that only an inbox entry reserves is left out. `damaged` if the row of
   * one of them cannot be read.
   */
  readKeys(keys: readonly { tenant: string; key: string }[]): Promise<HeldKey[]>;
  /**
   * Forgets keys of runs submitted before the time: visits at most `limit` keys after the cursor, in order
   * of (run, tenant, key). The key of a run that has not ended stays, however old it is, because a second
   * submission under it would create a second live run (I2); so does a key that an entry reserves. The
   * cursor moves past keys that stay, so a pass over all keys ends. `last` is null at the end.
   * An alias or a claim has the time of the commit that wrote it, if that is later than its run.
   */
  forgetKeys(query: {
    beforeMs: number;
    after: HeldKey | null;
    limit: number;
  }): Promise<{ forgotten: number; last: HeldKey | null }>;
}

/** A key, and the run that it names. */
export interface HeldKey {
  readonly tenant: string;
  readonly key: string;
  readonly run: RunId;
}

/** A key that an inbox entry reserves until it is taken. */
export interface ReservedKey {
  readonly tenant: string;
  readonly key: string;
  /** The id of the entry. */
  readonly entry: string;
}
