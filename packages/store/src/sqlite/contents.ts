import type { StoreContents } from '../snapshot.ts';
import { liveNodes } from './beat.ts';
import { readCheckpoint } from './checkpoints.ts';
import type { Context } from './context.ts';
import type { Row } from './database.ts';
import { toStoredKey } from './keys.ts';
import { listLeases } from './leases.ts';
import { toPlace } from './parked.ts';
import {
  toAuditRow,
  toDefinition,
  toEnd,
  toGroup,
  toInboxEntry,
  toLogLine,
  toRun,
} from './rows.ts';
import { listSegments } from './segments.ts';
import * as sql from './sql/dump.ts';

export function contents(context: Context): StoreContents {
  const { db, catalog } = context;
  const segments = listSegments(context);
  const everySegment = (statement: (segment: number) => string): Row[] =>
    catalog.list().flatMap(({ number }) => db.all(statement(number)));
  const keys = db.all(sql.dumpKeys).map(toStoredKey);
  return {
    groups: catalog
      .listGroupSegments()
      .flatMap((segment) => db.all(sql.dumpGroups(segment)).map(toGroup)),
    checkpoints: db
      .all(sql.dumpCheckpoints)
      .flatMap((row) => readCheckpoint(context, row['partition'] as number) ?? []),
    leases: listLeases(context),
    nodes: liveNodes(context),
    runs: everySegment(sql.dumpRuns).map(toRun),
    ends: everySegment(sql.dumpEnds).flatMap((row) => toEnd(row) ?? []),
    parked: everySegment(sql.dumpParked).map(toPlace),
    keys: keys.flatMap(({ tenant, key, run, entry }) =>
      entry === null ? [{ tenant, key, run }] : [],
    ),
    reserved: keys.flatMap(({ tenant, key, entry }) =>
      entry === null ? [] : [{ tenant, key, entry }],
    ),
    inbox: db.all(sql.dumpInbox).map(toInboxEntry),
    definitions: db.all(sql.dumpDefinitions).map(toDefinition),
    logs: everySegment(sql.dumpLogs).map(toLogLine),
    audit: db.all(sql.dumpAudit).map(toAuditRow),
    segments,
  };
}
