import type { RunId } from '@signalbox/engine';
import type { RunRow } from './runs.ts';

/** Parked runs: a backlog beyond memory, and due times far ahead. `append` writes their places. */
export interface ParkedStore {
  /**
   * Parked runs of one lane in order of (sort, id), after the cursor and with sort <= upTo, with
   * their rows and inputs. Runs that have ended or are damaged are left out of `runs`, but move the cursor;
   * damaged places are left out and do not move it.
   * With `bytes`, the page ends with the run whose input reaches them, or slightly earlier; it has at least
   * one run if there is any. With 0 bytes, rows have no inputs.
   */
  readParked(query: {
    partition: number;
    lane: string;
    after: ParkedCursor | null;
    upTo: number;
    limit: number;
    bytes?: number;
  }): Promise<{ runs: ParkedRun[]; last: ParkedCursor | null; exhausted: boolean }>;
}

export interface ParkedRow {
  readonly lane: string;
  readonly sort: number;
  readonly tenant: string;
  readonly id: RunId;
}

export interface ParkedCursor {
  readonly sort: number;
  readonly id: RunId;
}

export interface ParkedRun {
  readonly sort: number;
  readonly run: RunRow;
}
