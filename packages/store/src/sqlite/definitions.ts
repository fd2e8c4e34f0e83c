import type { SQLInputValue } from 'node:sqlite';
import { definitionChecksum } from '../damage/row-checksums.ts';
import type {
  Definition,
  DefinitionChange,
  DefinitionKey,
  DefinitionResult,
} from '../definition.ts';
import { definitionBytes, withinBytes } from '../page-bytes.ts';
import type { Store } from '../store.ts';
import { requireTexts } from '../validate-text.ts';
import { requireTime } from '../validate-time.ts';
import type { Context } from './context.ts';
import type { Row } from './database.ts';
import { definitionPlace, readListedDefinition } from './read-row.ts';
import { toDefinition } from './rows.ts';
import { countDefinitions as countDefinitionsSql } from './sql/definitions/count-definitions.ts';
import { getDefinitionVersion } from './sql/definitions/get-definition-version.ts';
import { getNewestDefinition } from './sql/definitions/get-newest-definition.ts';
import { insertDefinition } from './sql/definitions/insert-definition.ts';
import { listDefinitionChanges as listDefinitionChangesSql } from './sql/definitions/list-definition-changes.ts';
import { listDefinitionVersions as listDefinitionVersionsSql } from './sql/definitions/list-definition-versions.ts';
import { listDefinitions as listDefinitionsSql } from './sql/definitions/list-definitions.ts';

type Change = Omit<DefinitionChange, 'body'>;

/** The next version after a change; null if the change needs an existing version and there is none. */
type NextVersion = (current: () => Definition | null) => { body: string; deleted: boolean } | null;

export function putDefinition(context: Context, change: DefinitionChange): DefinitionResult {
  requireTexts({ body: change.body });
  return changeDefinition(context, change, () => ({ body: change.body, deleted: false }));
}

export function deleteDefinition(context: Context, change: Change): DefinitionResult {
  return changeDefinition(context, change, (current) => keepBody(current(), true));
}

export function restoreDefinition(context: Context, change: Change): DefinitionResult {
  return changeDefinition(context, change, (current) => keepBody(current(), false));
}

function keepBody(current: Definition | null, deleted: boolean): ReturnType<NextVersion> {
  return current === null ? null : { body: current.body, deleted };
}

/** Compare and append: the author names the version that was seen, and only that one is replaced. */
function changeDefinition(context: Context, change: Change, next: NextVersion): DefinitionResult {
  const { db, now } = context;
  const { tenant, kind, name, author, expectedVersion } = change;
  requireTexts({ tenant, kind, name, author });
  return db.write(() => {
    // A new body replaces also a version that is damaged.
    const row = db.get(getNewestDefinition, tenant, kind, name);
    const currentVersion = (row?.['version'] as number | undefined) ?? 0;
    const written = next(() => (row === undefined ? null : readDefinition(context, row)));
    if (expectedVersion !== currentVersion || written === null) {
      return { kind: 'conflict', currentVersion };
    }
    const isLive = row?.['deleted'] === 0;
    if (change.countMax !== undefined && !isLive && !written.deleted) {
      const count = countDefinitions(context, change);
      if (count >= change.countMax) return { kind: 'full', count };
    }
    const version = currentVersion + 1;
    const deleted = written.deleted ? 1 : 0;
    const key = [tenant, kind, name, version] as const;
    const atMs = now();
    const { body } = written;
    const definition = { tenant, kind, name, version, body, author, deleted: written.deleted };
    const checksum = definitionChecksum(definition) + atMs;
    db.run(insertDefinition, ...key, body, author, atMs, deleted, checksum);
    return { kind: 'written', version };
  });
}

function readNewest(context: Context, { tenant, kind, name }: DefinitionKey): Definition | null {
  const row = context.db.get(getNewestDefinition, tenant, kind, name);
  return row === undefined ? null : readDefinition(context, row);
}

function readDefinition({ damage }: Context, row: Row): Definition {
  return damage.require(definitionPlace(row), row, () => toDefinition(row));
}

export function getDefinition(
  context: Context,
  query: DefinitionKey & { version?: number },
): Definition | null {
  const { tenant, kind, name, version } = query;
  requireTexts({ tenant, kind, name });
  const { db } = context;
  return db.read(() => {
    if (version === undefined) return readNewest(context, query);
    const row = db.get(getDefinitionVersion, tenant, kind, name, version);
    return row === undefined ? null : readDefinition(context, row);
  });
}

export function listDefinitionVersions(
  context: Context,
  query: Parameters<Store['listDefinitionVersions']>[0],
): Definition[] {
  const { tenant, kind, name, after, limit, bytes } = query;
  requireTexts({ tenant, kind, name });
  return page(context, bytes, listDefinitionVersionsSql, tenant, kind, name, after, limit);
}

export function listDefinitions(
  context: Context,
  query: Parameters<Store['listDefinitions']>[0],
): Definition[] {
  const { tenant, kind, after, limit, bytes, includeDeleted = false } = query;
  requireTexts({ tenant, kind, after });
  const sql = listDefinitionsSql({ isFirstPage: after === null, includeDeleted });
  return page(context, bytes, sql, tenant, kind, after ?? '', limit);
}

export function countDefinitions(
  { db }: Context,
  { tenant, kind }: Parameters<Store['countDefinitions']>[0],
): number {
  requireTexts({ tenant, kind });
  const row = db.prepare(countDefinitionsSql).get(tenant, kind) as { count: number };
  return row.count;
}

export function listDefinitionChanges(
  context: Context,
  query: Parameters<Store['listDefinitionChanges']>[0],
): Definition[] {
  const { kind, after, limit, bytes } = query;
  const { atMs, tenant, name, version } = after;
  requireTexts({ kind, tenant, name });
  requireTime('after', atMs);
  const cursor = [atMs, tenant, name, version] as const;
  return page(context, bytes, listDefinitionChangesSql, kind, ...cursor, limit);
}

function page(
  context: Context,
  bytes: number | undefined,
  ...[sql, ...values]: [sql: string, ...values: SQLInputValue[]]
): Definition[] {
  const toListed = (row: Row): Definition => readListedDefinition(context, row);
  return context.db.read(() =>
    withinBytes(context.db.eachAs(toListed, sql, ...values), bytes, definitionBytes),
  );
}
