import { compareText } from '../compare-text.ts';
import type {
  Definition,
  DefinitionChange,
  DefinitionCursor,
  DefinitionKey,
  DefinitionResult,
} from '../definition.ts';
import { definitionBytes, withinBytes } from '../page-bytes.ts';
import type { Store } from '../store.ts';
import { requireTexts } from '../validate-text.ts';
import { requireTime } from '../validate-time.ts';
import { definitionsOf, type MemoryState } from './state.ts';

type Change = Omit<DefinitionChange, 'body'>;

/** The next version after a change; null if the change needs an existing version and there is none. */
type NextVersion = (current: Definition | undefined) => { body: string; deleted: boolean } | null;

export function putDefinition(state: MemoryState, change: DefinitionChange): DefinitionResult {
  requireTexts({ body: change.body });
  return changeDefinition(state, change, () => ({ body: change.body, deleted: false }));
}

export function deleteDefinition(state: MemoryState, change: Change): DefinitionResult {
  return changeDefinition(state, change, (current) =>
    current === undefined ? null : { body: current.body, deleted: true },
  );
}

export function restoreDefinition(state: MemoryState, change: Change): DefinitionResult {
  return changeDefinition(state, change, (current) =>
    current === undefined ? null : { body: current.body, deleted: false },
  );
}

/** Compare and append: the author names the version that was seen, and only that one is replaced. */
function changeDefinition(state: MemoryState, change: Change, next: NextVersion): DefinitionResult {
  const { tenant, kind, name, author, expectedVersion } = change;
  requireTexts({ tenant, kind, name, author });
  const histories = definitionsOf(state, tenant, kind);
  const history = findHistory(state, change);
  const currentVersion = history?.versions.length ?? 0;
  const written = next(history?.versions.at(-1));
  if (expectedVersion !== currentVersion || written === null) {
    return { kind: 'conflict', currentVersion };
  }
  const isLive = history?.versions.at(-1)?.deleted === false;
  if (change.countMax !== undefined && !isLive && !written.deleted) {
    const count = countDefinitions(state, change);
    if (count >= change.countMax) return { kind: 'full', count };
  }
  const version = currentVersion + 1;
  const atMs = state.now();
  const definition = { tenant, kind, name, version, author, atMs, ...written };
  if (history === undefined) histories.insert({ name, versions: [definition] });
  else history.versions.push(definition);
  return { kind: 'written', version };
}

export function getDefinition(
  state: MemoryState,
  query: DefinitionKey & { version?: number },
): Definition | null {
  requireTexts({ tenant: query.tenant, kind: query.kind, name: query.name });
  const versions = findHistory(state, query)?.versions ?? [];
  const found = query.version === undefined ? versions.at(-1) : versions[query.version - 1];
  return found === undefined ? null : { ...found };
}

export function listDefinitionVersions(
  state: MemoryState,
  query: Parameters<Store['listDefinitionVersions']>[0],
): Definition[] {
  const { tenant, kind, name, limit, bytes } = query;
  requireTexts({ tenant, kind, name });
  const after = Math.max(0, query.after);
  const page = (findHistory(state, query)?.versions ?? []).slice(after, after + limit);
  return withinBytes(page, bytes, definitionBytes).map((definition) => ({ ...definition }));
}

export function listDefinitions(
  state: MemoryState,
  query: Parameters<Store['listDefinitions']>[0],
): Definition[] {
  const { tenant, kind, after, limit, bytes, includeDeleted = false } = query;
  requireTexts({ tenant, kind, after });
  const histories = definitionsOf(state, tenant, kind);
  const start =
    after === null ? 0 : histories.position(({ name }) => (compareText(name, after) <= 0 ? -1 : 1));
  const found: Definition[] = [];
  for (let i = start; i < histories.items.length && found.length < limit; i++) {
    const newest = histories.items[i]?.versions.at(-1);
    if (newest && (includeDeleted || !newest.deleted)) found.push({ ...newest });
  }
  return withinBytes(found, bytes, definitionBytes);
}

export function countDefinitions(
  state: MemoryState,
  { tenant, kind }: Parameters<Store['countDefinitions']>[0],
): number {
  requireTexts({ tenant, kind });
  const { items } = definitionsOf(state, tenant, kind);
  return items.filter(({ versions }) => versions.at(-1)?.deleted === false).length;
}

export function listDefinitionChanges(
  state: MemoryState,
  query: Parameters<Store['listDefinitionChanges']>[0],
): Definition[] {
  const { kind, after, limit, bytes } = query;
  requireTexts({ kind, tenant: after.tenant, name: after.name });
  requireTime('after', after.atMs);
  const found: Definition[] = [];
  for (const [key, histories] of state.definitions) {
    if (!key.endsWith(`\0${kind}`)) continue;
    for (const { versions } of histories.items) {
      for (const definition of versions) {
        if (inOrder(definition, after) > 0) found.push({ ...definition });
      }
    }
  }
  return withinBytes(found.sort(inOrder).slice(0, limit), bytes, definitionBytes);
}

function inOrder(a: DefinitionCursor, b: DefinitionCursor): number {
  return (
    a.atMs - b.atMs ||
    compareText(a.tenant, b.tenant) ||
    compareText(a.name, b.name) ||
    a.version - b.version
  );
}

function findHistory(state: MemoryState, key: DefinitionKey) {
  return definitionsOf(state, key.tenant, key.kind).find(({ name }) => compareText(name, key.name));
}
