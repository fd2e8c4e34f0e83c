import { type RowPlace, verify } from '../damage/damaged-rows.ts';
import { definitionChecksum } from '../damage/row-checksums.ts';
import type {
  Definition,
  DefinitionChange,
  DefinitionKey,
  DefinitionResult,
} from '../definition.ts';
import { ANY_BYTES } from '../page-bytes.ts';
import type { Store } from '../store.ts';
import { requireTexts } from '../validate-text.ts';
import { hasCode } from './connection/failure.ts';
import { silentStep, step } from './connection/step.ts';
import type { Database } from './database.ts';
import { countDefinitions as countDefinitionsSql } from './sql/definitions/count-definitions.ts';
import { getDefinition as getDefinitionSql } from './sql/definitions/get-definition.ts';
import { insertCountedDefinition, insertDefinition } from './sql/definitions/insert-definition.ts';
import { listDefinitionChanges as listChangesSql } from './sql/definitions/list-definition-changes.ts';
import { listDefinitionVersions as listVersionsSql } from './sql/definitions/list-definition-versions.ts';
import { listDefinitions as listDefinitionsSql } from './sql/definitions/list-definitions.ts';
import { lockDefinitionCount } from './sql/definitions/lock-definition-count.ts';

/** The maximum of the column; the next version has to fit as well. */
const VERSION_MAX = 2 ** 31 - 1;

type Change = Omit<DefinitionChange, 'body'>;

export interface DefinitionColumns extends Omit<Definition, 'atMs' | 'damaged'> {
  readonly at_ms: number;
  readonly checksum: number | null;
}

interface Inserted {
  readonly current_version: number;
  readonly written_version: number | null;
  /** Of the other definitions; null unless they were counted. */
  readonly count: number | null;
}

export function putDefinition(
  database: Database,
  change: DefinitionChange,
): Promise<DefinitionResult> {
  return changeDefinition(database, change, { body: change.body, deleted: false });
}

export function deleteDefinition(database: Database, change: Change): Promise<DefinitionResult> {
  return changeDefinition(database, change, { body: null, deleted: true });
}

export function restoreDefinition(database: Database, change: Change): Promise<DefinitionResult> {
  return changeDefinition(database, change, { body: null, deleted: false });
}

async function changeDefinition(
  database: Database,
  change: Change,
  next: { body: string | null; deleted: boolean },
): Promise<DefinitionResult> {
  const { tenant, kind, name, expectedVersion, author, countMax } = change;
  requireTexts({ tenant, kind, name, author, body: next.body });
  if (!isVersion(expectedVersion)) {
    const current = await getDefinition(database, { tenant, kind, name });
    return { kind: 'conflict', currentVersion: current?.version ?? 0 };
  }
  const body = next.body ?? (await bodyOf(database, change));
  const { deleted } = next;
  const version = expectedVersion + 1;
  const checksum = definitionChecksum({
    ...{ tenant, kind, name, version, body: body ?? '', author, deleted },
  });
  const isCounted = countMax !== undefined;
  const insert = isCounted ? insertCountedDefinition : insertDefinition;
  const put = step(insert(database.schema), isCounted ? 9 : 8, (writer) => {
    writer.text(tenant);
    writer.text(kind);
    writer.text(name);
    writer.int4(expectedVersion);
    writer.text(author);
    writer.nullableText(body);
    writer.bool(deleted);
    writer.int8(checksum);
    if (isCounted) writer.int4(countMax);
  });
  const lock = silentStep(lockDefinitionCount(database.schema), 2, (writer) => {
    writer.text(tenant);
    writer.text(kind);
  });
  const steps = isCounted ? [lock, put] : [put];
  for (;;) {
    try {
      const rows = (await database.pipeline(database.pool, steps)).at(-1);
      const [row] = (rows ?? []) as unknown as readonly Inserted[];
      const version = row?.written_version ?? null;
      if (version !== null) return { kind: 'written', version };
      const { current_version: currentVersion = 0, count = null } = row ?? {};
      const isExpected = currentVersion === expectedVersion && body !== null;
      return isExpected && count !== null
        ? { kind: 'full', count }
        : { kind: 'conflict', currentVersion };
    } catch (error) {
      // Another author's insert committed between the read and the insert; the next attempt reads it.
      if (!hasCode((error as Error).cause, ['23505'])) throw error;
    }
  }
}

/** A version never changes: if another follows it meanwhile, the change is refused. */
async function bodyOf(database: Database, change: Change): Promise<string | null> {
  const { tenant, kind, name, expectedVersion: version } = change;
  return (await getDefinition(database, { tenant, kind, name, version }))?.body ?? null;
}

export async function getDefinition(
  database: Database,
  query: DefinitionKey & { version?: number },
): Promise<Definition | null> {
  const { tenant, kind, name, version } = query;
  requireTexts({ tenant, kind, name });
  if (version !== undefined && !isVersion(version)) return null;
  const [row] = await database.read<DefinitionColumns>(
    step(getDefinitionSql(database.schema), 4, (writer) => {
      writer.text(tenant);
      writer.text(kind);
      writer.text(name);
      if (version === undefined) writer.null();
      else writer.int4(version);
    }),
  );
  if (row === undefined) return null;
  return database.damage.require(placeOf(row), row, () => toDefinition(row));
}

export async function listDefinitionVersions(
  database: Database,
  query: Parameters<Store['listDefinitionVersions']>[0],
): Promise<Definition[]> {
  const { tenant, kind, name, limit, bytes = ANY_BYTES } = query;
  requireTexts({ tenant, kind, name });
  const after = Math.min(Math.max(0, query.after), VERSION_MAX);
  const rows = await database.read<DefinitionColumns>(
    step(listVersionsSql(database.schema), 6, (writer) => {
      writer.text(tenant);
      writer.text(kind);
      writer.text(name);
      writer.int4(after);
      writer.int8(limit);
      writer.int8(bytes);
    }),
  );
  return rows.map((row) => readListed(database, row));
}

export async function listDefinitions(
  database: Database,
  query: Parameters<Store['listDefinitions']>[0],
): Promise<Definition[]> {
  const { tenant, kind, after, limit, bytes = ANY_BYTES, includeDeleted = false } = query;
  requireTexts({ tenant, kind, after });
  const rows = await database.read<DefinitionColumns>(
    step(listDefinitionsSql(database.schema), 6, (writer) => {
      writer.text(tenant);
      writer.text(kind);
      writer.nullableText(after);
      writer.bool(includeDeleted);
      writer.int8(limit);
      writer.int8(bytes);
    }),
  );
  return rows.map((row) => readListed(database, row));
}

export async function countDefinitions(
  database: Database,
  { tenant, kind }: Parameters<Store['countDefinitions']>[0],
): Promise<number> {
  requireTexts({ tenant, kind });
  const [row] = await database.read<{ readonly count: number }>(
    step(countDefinitionsSql(database.schema), 2, (writer) => {
      writer.text(tenant);
      writer.text(kind);
    }),
  );
  return row?.count ?? 0;
}

export async function listDefinitionChanges(
  database: Database,
  query: Parameters<Store['listDefinitionChanges']>[0],
): Promise<Definition[]> {
  const { kind, after, limit, bytes = ANY_BYTES } = query;
  requireTexts({ kind, tenant: after.tenant, name: after.name });
  const rows = await database.read<DefinitionColumns>(
    step(listChangesSql(database.schema), 7, (writer) => {
      writer.text(kind);
      writer.int8(after.atMs);
      writer.text(after.tenant);
      writer.text(after.name);
      writer.int4(after.version);
      writer.int8(limit);
      writer.int8(bytes);
    }),
  );
  return rows.map((row) => readListed(database, row));
}

/** Other numbers are no version of any definition, and the column would refuse them. */
function isVersion(version: number): boolean {
  return Number.isInteger(version) && version >= 0 && version < VERSION_MAX;
}

/** Throws if the row does not match its checksum. */
export function toDefinition(row: DefinitionColumns): Definition {
  const { tenant, kind, name, version, body, author, at_ms: atMs, deleted } = row;
  const definition = { tenant, kind, name, version, body, author, atMs, deleted };
  verify(row.checksum, () => definitionChecksum(definition) + atMs);
  return definition;
}

/** For a list, which includes damaged versions. */
function readListed({ damage }: Database, row: DefinitionColumns): Definition {
  const read = damage.read(placeOf(row), row, () => toDefinition(row));
  if (read !== null) return read;
  const { checksum: _checksum, at_ms: atMs, ...rest } = row;
  return { ...rest, atMs, body: '', damaged: true };
}

function placeOf({ tenant, kind, name, version }: DefinitionColumns): RowPlace {
  const key = JSON.stringify([tenant, kind, name, version]);
  return { kind: 'definition', key, partition: null, tenant };
}
