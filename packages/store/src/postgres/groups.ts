import type { Group, GroupHead } from '../contract/journal.ts';
import { ANY_BYTES } from '../page-bytes.ts';
import type { Store } from '../store.ts';
import { step } from './connection/step.ts';
import type { Database } from './database.ts';
import {
  type GroupColumns,
  readGroupRow,
  toGroupHead,
  type WholeGroupColumns,
} from './rows/group-row.ts';
import { readGroup as readGroupSql } from './sql/groups/read-group.ts';
import { readGroups as readGroupsSql } from './sql/groups/read-groups.ts';

export async function readGroup(
  database: Database,
  at: { partition: number; seq: number },
): Promise<GroupHead | null> {
  const [row] = await database.read<GroupColumns>(
    step(readGroupSql(database.schema), 2, (writer) => {
      writer.int4(at.partition);
      writer.int8(at.seq);
    }),
  );
  return row === undefined ? null : toGroupHead(row);
}

export async function readGroups(
  database: Database,
  query: Parameters<Store['readGroups']>[0],
): Promise<Group[]> {
  const rows = await database.read<WholeGroupColumns>(
    step(readGroupsSql(database.schema), 4, (writer) => {
      writer.int4(query.partition);
      writer.int8(query.afterSeq);
      writer.int8(query.limit);
      writer.int8(query.bytes ?? ANY_BYTES);
    }),
  );
  return rows.map((row) => readGroupRow(database.damage, row));
}
