import { formatRunId, type RunId } from '@signalbox/engine';
import { StoreError } from '../errors.ts';
import type { Segment } from '../run-segment.ts';
import type { Database } from './database.ts';
import { createGroupSegment } from './sql/group-segments/create-group-segment.ts';
import { insertGroupSegment } from './sql/group-segments/insert-group-segment.ts';
import { listGroupSegments as listGroupSegmentsSql } from './sql/group-segments/list-group-segments.ts';
import { createRunSegment } from './sql/segments/create-run-segment.ts';
import { insertSegment } from './sql/segments/insert-segment.ts';
import { listSegments } from './sql/segments/list-segments.ts';
import { readDataVersion } from './sql/session/read-data-version.ts';

export interface SegmentSizes {
  readonly segmentMs: number;
  readonly groupSegmentSize: number;
}

interface SegmentRow {
  readonly number: number;
  readonly state: 'open' | 'sealed' | 'dropped';
  readonly sealedAtMs: number | null;
}

/**
 * Which segments exist, cached because every write needs it. Reloaded when another process has changed
 * the file, so it is valid only inside a transaction, after `refresh`.
 */
export class SegmentCatalog {
  private readonly db: Database;
  private sizes: SegmentSizes = { segmentMs: 1, groupSegmentSize: 1 };
  private runSegments = new Map<number, SegmentRow>();
  private groupSegmentNumbers: number[] = [];
  private version: unknown = null;

  constructor(db: Database) {
    this.db = db;
    db.onRollback = () => this.invalidate();
  }

  setSizes(sizes: SegmentSizes): void {
    this.sizes = sizes;
    this.invalidate();
  }

  get segmentMs(): number {
    return this.sizes.segmentMs;
  }

  invalidate(): void {
    this.version = null;
  }

  refresh(): void {
    const version = this.db.get(readDataVersion)?.['data_version'];
    if (version === this.version) return;
    this.runSegments = new Map(
      this.db.all(listSegments).map((row) => [
        row['segment'] as number,
        {
          number: row['segment'] as number,
          state: row['state'] as SegmentRow['state'],
          sealedAtMs: row['sealed_at_ms'] as number | null,
        },
      ]),
    );
    this.groupSegmentNumbers = this.db
      .all(listGroupSegmentsSql)
      .map((row) => row['segment'] as number);
    this.version = version;
  }

  numberOf(ms: number): number {
    return Math.floor(ms / this.sizes.segmentMs);
  }

  /** The segment of an id for reading, or null when no row can be there. */
  find(ms: number): number | null {
    const segment = this.runSegments.get(this.numberOf(ms));
    return segment === undefined || segment.state === 'dropped' ? null : segment.number;
  }

  /** The segment of an id if it is open, or null. */
  findOpen(ms: number): number | null {
    const segment = this.runSegments.get(this.numberOf(ms));
    return segment?.state === 'open' ? segment.number : null;
  }

  /** The segment of an id for writing, created if it does not exist. */
  requireWritable(id: RunId): number {
    const number = this.numberOf(id.ms);
    const segment = this.runSegments.get(number);
    if (segment === undefined) {
      this.createRunSegmentTables(number);
      return number;
    }
    if (segment.state !== 'open') {
      throw new StoreError('invalid', `the segment of run ${formatRunId(id)} is sealed`);
    }
    return segment.number;
  }

  createRunSegmentTables(number: number): void {
    this.db.exec(createRunSegment(number));
    this.db.run(insertSegment, number);
    this.runSegments.set(number, { number, state: 'open', sealedAtMs: null });
  }

  /** Whether the segment that begins here has been dropped. */
  isDropped(fromMs: number): boolean {
    const segment = this.runSegments.get(this.numberOf(fromMs));
    return segment?.state === 'dropped' && segment.number * this.sizes.segmentMs === fromMs;
  }

  isKnown(segment: number): boolean {
    return this.runSegments.has(segment);
  }

  /** Run segments that hold rows, oldest first. */
  list(): (Segment & { readonly number: number })[] {
    const { segmentMs } = this.sizes;
    return [...this.runSegments.values()]
      .filter(({ state }) => state !== 'dropped')
      .map(({ number, state, sealedAtMs }) => ({
        number,
        fromMs: number * segmentMs,
        toMs: (number + 1) * segmentMs,
        sealed: state === 'sealed',
        ...(sealedAtMs === null ? {} : { sealedAtMs }),
      }))
      .sort((a, b) => a.fromMs - b.fromMs);
  }

  /** Group segments, lowest seqs first. */
  listGroupSegments(): readonly number[] {
    return this.groupSegmentNumbers;
  }

  groupSegmentOf(seq: number): number {
    return Math.floor(seq / this.sizes.groupSegmentSize);
  }

  hasGroupSegment(segment: number): boolean {
    return this.groupSegmentNumbers.includes(segment);
  }

  /** The table of a seq, created when its first group is written. */
  ensureGroupSegment(seq: number): number {
    const segment = this.groupSegmentOf(seq);
    if (!this.hasGroupSegment(segment)) {
      this.db.exec(createGroupSegment(segment));
      this.db.run(insertGroupSegment, segment);
      this.groupSegmentNumbers = [...this.groupSegmentNumbers, segment].sort((a, b) => a - b);
    }
    return segment;
  }
}
