import type { Group, GroupHead } from '../contract/journal.ts';
import type { Store } from '../store.ts';
import type { Context } from './context.ts';
import { readGroupRow } from './read-row.ts';
import { toGroupHead } from './rows.ts';
import { deleteGroupSegment } from './sql/group-segments/delete-group-segment.ts';
import { dropGroupSegment } from './sql/group-segments/drop-group-segment.ts';
import { findKeptGroup } from './sql/group-segments/find-kept-group.ts';
import { readGroup as readGroupSql } from './sql/groups/read-group.ts';
import { readGroups as readGroupsSql } from './sql/groups/read-groups.ts';

export function readGroup(
  { db, catalog }: Context,
  at: { partition: number; seq: number },
): GroupHead | null {
  return db.read(() => {
    catalog.refresh();
    const segment = catalog.groupSegmentOf(at.seq);
    if (!catalog.hasGroupSegment(segment)) return null;
    const row = db.get(readGroupSql(segment), at.partition, at.seq);
    return row === undefined ? null : toGroupHead(row);
  });
}

export function readGroups(context: Context, query: Parameters<Store['readGroups']>[0]): Group[] {
  const { partition, afterSeq, limit, bytes = Number.POSITIVE_INFINITY } = query;
  const { db, catalog } = context;
  return db.read(() => {
    catalog.refresh();
    const first = catalog.groupSegmentOf(Math.max(0, afterSeq));
    const groups: Group[] = [];
    let read = 0;
    for (const segment of catalog.listGroupSegments()) {
      if (segment < first) continue;
      if (groups.length >= limit || read >= bytes) break;
      const rows = db.each(readGroupsSql(segment), partition, afterSeq, limit - groups.length);
      for (const row of rows) {
        const group = readGroupRow(context, row);
        groups.push(group);
        read += group.body.length;
        if (read >= bytes) break;
      }
    }
    return groups;
  });
}

export function dropGroupsBefore({ db, catalog }: Context, query: { beforeMs: number }): number {
  const count = db.write(() => {
    catalog.refresh();
    const passed = catalog
      .listGroupSegments()
      .filter((segment) => db.get(findKeptGroup(segment), query.beforeMs) === undefined);
    for (const segment of passed) {
      db.exec(dropGroupSegment(segment));
      db.run(deleteGroupSegment, segment);
    }
    catalog.invalidate();
    return passed.length;
  });
  if (count > 0) db.forgetStatements();
  return count;
}
