import type { RunId } from '@signalbox/engine';
import type { RunRow } from '../../contract/runs.ts';

export const PARTITIONS: readonly number[] = [0, 1, 7];
export const NODES: readonly string[] = ['node-a', 'node-b'];
export const TENANTS: readonly string[] = ['acme', 'other', 'drei ß'];
export const JOBS: readonly string[] = ['report', 'clean'];
export const LANES: readonly string[] = ['P0/acme', 'P1/acme', 'due'];
export const KINDS: readonly string[] = ['job', 'schedule'];
export const NAMES: readonly string[] = ['a', 'B', 'ä', '\u{fffd}', '\u{1f600}'];

export interface OwnedPartition {
  partition: number;
  owner: string;
  epoch: number;
  lastSeq: number;
  checkpointSeq: number;
  /** What the owner before would have written next. */
  superseded: { epoch: number; seq: number } | null;
}

/** What the questions need to know in order to be interesting; the oracle has the truth. */
export class Model {
  readonly segmentMs: number;
  nowMs = 0;
  isDraining = false;
  readonly owned = new Map<number, OwnedPartition>();
  readonly openRuns: RunRow[] = [];
  readonly endedRuns: RunRow[] = [];
  readonly keys: { tenant: string; key: string }[] = [];
  readonly inbox = new Map<string, number>();
  readonly definitions = new Map<string, { version: number; deleted: boolean }>();
  readonly usedSegments = new Set<number>();
  readonly sealedSegments = new Set<number>();
  private count = 0;

  constructor(segmentMs: number) {
    this.segmentMs = segmentMs;
  }

  nextNumber(): number {
    return ++this.count;
  }

  /** An id in the present segment; the segment is known to exist. */
  newId(partition: number): RunId {
    return { ms: this.nowMs, partition, seq: this.nextNumber() };
  }

  segmentOf(id: RunId): number {
    return id.ms - (id.ms % this.segmentMs);
  }

  runs(): RunRow[] {
    return [...this.openRuns, ...this.endedRuns];
  }
}
