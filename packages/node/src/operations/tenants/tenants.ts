import { type Page, PLATFORM, type Tenant, type TenantDefinition } from '@signalbox/protocol';
import {
  type Definition,
  definitionBytes,
  readCurrentDefinition,
  readOnePage,
  type Store,
} from '@signalbox/store';
import { ApiError, type NodeContext } from '../../context/index.ts';
import { refusal } from '../../errors/refusals.ts';
import type { CommitLoop } from '../../loop/index.ts';
import type { Expected } from '../common/expected.ts';
import { paged } from '../common/paged.ts';
import { msOf, shownDuration } from '../common/read-time.ts';

export const TENANT_KIND = 'tenant';

/** The stored form: the engine's names, and milliseconds. */
interface StoredTenant {
  readonly weight?: number;
  readonly runningMax?: number;
  readonly jitterMsMin?: number;
  readonly maxJobs?: number;
  readonly maxSchedules?: number;
  readonly maxTriggers?: number;
}

function toStored(definition: TenantDefinition): StoredTenant {
  const { weight, maxRunning, minJitter, ...quotas } = definition;
  const jitter = { field: 'minJitter', value: minJitter ?? 0 };
  return {
    ...(weight === undefined ? {} : { weight }),
    ...(maxRunning === undefined ? {} : { runningMax: maxRunning }),
    ...(minJitter === undefined ? {} : { jitterMsMin: msOf('tenant.minJitter', jitter) }),
    ...quotas,
  };
}

function fromStored(stored: StoredTenant): TenantDefinition {
  const { weight, runningMax, jitterMsMin, ...quotas } = stored;
  return {
    ...(weight === undefined ? {} : { weight }),
    ...(runningMax === undefined ? {} : { maxRunning: runningMax }),
    ...(jitterMsMin === undefined ? {} : { minJitter: shownDuration(jitterMsMin) }),
    ...quotas,
  };
}

export async function getTenant(store: Store, name: string): Promise<Tenant | null> {
  const definition = await store.getDefinition({ tenant: PLATFORM, kind: TENANT_KIND, name });
  return definition === null || definition.deleted ? null : tenantOf(definition);
}

export const listTenants = paged(
  'tenants',
  async ({ store }, _caller, query: { after?: string; limit?: number }): Promise<Page<Tenant>> => {
    const { after = null, limit = 100 } = query;
    const { rows, last } = await readOnePage<Definition>({
      limit,
      bytesOf: definitionBytes,
      read: (limits) =>
        store.listDefinitions({ tenant: PLATFORM, kind: TENANT_KIND, after, ...limits }),
    });
    const items = rows.filter(({ damaged }) => damaged !== true).map(tenantOf);
    return { items, ...(last === null ? {} : { next: last.name }) };
  },
);

interface Change {
  readonly name: string;
  readonly expected: Expected;
  readonly author: string;
}

export async function putTenant(
  context: NodeContext,
  change: Change & { definition: TenantDefinition },
): Promise<{ before: Tenant | null; after: Tenant }> {
  const { name, author, definition } = change;
  const { live, version } = await current(context.store, change);
  const body = JSON.stringify(toStored(definition));
  // An unchanged definition is not a new version: repeated `apply` creates no history.
  if (live !== null && JSON.stringify(toStored(live.definition)) === body)
    return { before: live, after: live };
  const result = await context.store.putDefinition({
    tenant: PLATFORM,
    kind: TENANT_KIND,
    name,
    expectedVersion: version,
    body,
    author,
  });
  if (result.kind === 'conflict') throw raced();
  await applyTenant(context.loop, name, definition);
  const after = await getTenant(context.store, name);
  if (after === null) throw raced();
  return { before: live, after };
}

export async function deleteTenant(context: NodeContext, change: Change): Promise<Tenant | null> {
  const { name, author } = change;
  const { live, version } = await current(context.store, change);
  if (live === null) return null;
  const result = await context.store.deleteDefinition({
    tenant: PLATFORM,
    kind: TENANT_KIND,
    name,
    expectedVersion: version,
    author,
  });
  if (result.kind === 'conflict') throw raced();
  await applyTenant(context.loop, name, {});
  return live;
}

/** Applies the definition in the engine; omitted fields have their defaults. */
export async function applyTenant(
  loop: CommitLoop,
  tenant: string,
  definition: TenantDefinition,
): Promise<void> {
  const { weight = 1, maxRunning: runningMax = Number.POSITIVE_INFINITY } = definition;
  const answer = await loop.execute({ kind: 'setTenant', tenant, weight, runningMax });
  if (answer.kind === 'refused') throw refusal(answer);
}

/** The version that a change replaces. Refuses if it is not in the state that the caller expects. */
async function current(
  store: Store,
  { name, expected }: Change,
): Promise<{ live: Tenant | null; version: number }> {
  const definition = await readCurrentDefinition(store, {
    tenant: PLATFORM,
    kind: TENANT_KIND,
    name,
  });
  const live = definition === null || definition.deleted ? null : tenantOf(definition);
  const isUnexpected =
    (expected.absent && live !== null) ||
    (expected.present && live === null) ||
    (expected.version !== undefined && live?.version !== expected.version);
  if (isUnexpected)
    throw new ApiError(
      'precondition_failed',
      'the tenant definition has another version than If-Match names; read it again',
    );
  return { live, version: definition?.version ?? 0 };
}

export function tenantOf({ name, version, body, atMs }: Definition): Tenant {
  return {
    name,
    version,
    definition: fromStored(JSON.parse(body) as StoredTenant),
    at: new Date(atMs).toISOString(),
  };
}

function raced(): ApiError {
  return new ApiError(
    'conflict',
    'another request changed the tenant definition at the same time; retry',
  );
}
