import { StoreError } from '../errors.ts';
import type { Segment } from '../run-segment.ts';
import { segmentsToCreate } from '../run-segment.ts';
import type { Context } from './context.ts';
import { countOpenRuns } from './sql/segments/count-open-runs.ts';
import { dropRunSegment } from './sql/segments/drop-run-segment.ts';
import { markSegmentDropped } from './sql/segments/mark-segment-dropped.ts';
import { readIsSegmentUsed } from './sql/segments/read-is-segment-used.ts';
import { sealSegment as sealSegmentSql } from './sql/segments/seal-segment.ts';

export function ensureSegments({ db, catalog, now }: Context, query: { untilMs: number }): void {
  db.write(() => {
    catalog.refresh();
    const { segmentMs } = catalog;
    const requested = segmentsToCreate({ nowMs: now(), segmentMs, ...query });
    for (const number of requested.map((fromMs) => catalog.numberOf(fromMs))) {
      if (!catalog.isKnown(number)) catalog.createRunSegmentTables(number);
    }
  });
}

export function listSegments({ db, catalog }: Context): Segment[] {
  return db.read(() => {
    catalog.refresh();
    return catalog.list().map(({ number: _, ...segment }) => segment);
  });
}

export function lastUsedSegment({ db, catalog }: Context): Segment | null {
  return db.read(() => {
    catalog.refresh();
    const used = catalog
      .list()
      .findLast(({ number }) => db.get(readIsSegmentUsed(number)) !== undefined);
    if (used === undefined) return null;
    const { number: _, ...segment } = used;
    return segment;
  });
}

export function sealSegment(
  context: Context,
  fromMs: number,
): { sealed: boolean; openRuns: number } {
  const { db, catalog, now } = context;
  return db.write(() => {
    const segment = findSegment(context, fromMs);
    if (segment === 'dropped' || segment.sealed) return { sealed: true, openRuns: 0 };
    const openRuns = db.get(countOpenRuns(segment.number))?.['open_runs'] as number;
    const sealed = openRuns === 0 && segment.toMs <= now();
    if (sealed) db.run(sealSegmentSql, now(), segment.number);
    catalog.invalidate();
    return { sealed, openRuns };
  });
}

export function dropSegment(context: Context, fromMs: number): void {
  const { db, catalog } = context;
  db.write(() => {
    const segment = findSegment(context, fromMs);
    if (segment === 'dropped') return;
    const { number, sealed } = segment;
    if (!sealed) throw new StoreError('invalid', `segment ${fromMs} is not sealed`);
    db.exec(dropRunSegment(number));
    db.run(markSegmentDropped, number);
    catalog.invalidate();
  });
  db.forgetStatements();
}

function findSegment({ catalog }: Context, fromMs: number) {
  catalog.refresh();
  const segment = catalog.list().find((other) => other.fromMs === fromMs);
  if (segment !== undefined) return segment;
  if (catalog.isDropped(fromMs)) return 'dropped';
  throw new StoreError('invalid', `segment ${fromMs} does not exist`);
}
