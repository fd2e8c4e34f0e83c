import type { Class, RunId } from '@signalbox/engine';

/** Runs as submitted, and their ends. Both are written by `append`. */
export interface RunStore {
  /**
   * One run as submitted, and its end if it has one; null for an absent id and for a run of another tenant
   * alike. `damaged` if one of the two rows cannot be read, or only the end exists.
   */
  getRun(query: { tenant: string; id: RunId }): Promise<StoredRun | null>;
  /** The rows of these runs, in any order, without absent and damaged ones. `input` is null without `withInput`. */
  readRuns(query: {
    ids: readonly { tenant: string; id: RunId }[];
    withInput: boolean;
  }): Promise<RunRow[]>;
  /**
   * Runs of a tenant, newest first, before the cursor and from `from` on. `withPayloads: false` omits
   * inputs and outputs (null): a page may hold many megabytes that a list does not show. With `bytes`, up
   * to the run whose `storedRunBytes` reach them. A damaged run is marked and has only its id and tenant.
   */
  listRuns(query: {
    tenant: string;
    before: RunId | null;
    from?: RunId;
    limit: number;
    job?: string;
    ended?: boolean;
    withPayloads?: boolean;
    bytes?: number;
  }): Promise<StoredRun[]>;
}

/** One submission. Found by (tenant, id), listed by tenant in order of id. */
export interface RunRow {
  readonly id: RunId;
  readonly tenant: string;
  readonly job: string;
  readonly jobVersion: number;
  readonly class: Class;
  /** The other fields of the submission, as JSON text that the engine writes; '' for none. */
  readonly head: string;
  readonly input: Uint8Array | null;
  readonly inputBytes: number;
  /** Idempotency keys that this run takes: the client's, an inbox alias, or none. */
  readonly keys: readonly string[];
}

/** The end of a run: written once, never changed (I3). */
export interface EndRow {
  readonly id: RunId;
  readonly tenant: string;
  /** A terminal run state. */
  readonly state: string;
  readonly endedAtMs: number;
  /** The run's attempts and outcomes, as JSON text that the engine writes. */
  readonly detail: string;
  readonly output: Uint8Array | null;
}

export interface StoredRun {
  readonly run: RunRow;
  readonly end: EndRow | null;
  /** One of the two rows cannot be read; all fields but id and tenant are placeholders. Only in lists. */
  readonly damaged?: true;
}
