import { instantMs, type NewKey, PLATFORM, rangeText } from '@signalbox/protocol';
import { type Keys, type KnownKey, keyView } from '../../auth/keys.ts';
import { ApiError, type Caller } from '../../context/index.ts';
import { paged } from '../common/paged.ts';

interface KeysQuery {
  readonly keys: Keys;
  readonly tenants: readonly string[];
  readonly after?: string;
  readonly limit?: number;
}

export const listKeys = paged(
  'keys',
  async (_context, _caller, { keys, tenants, after, limit = 100 }: KeysQuery) => {
    const found = await keys.list({ tenants, after: after ?? null, limit });
    const last = found.at(-1);
    const hasMore = last !== undefined && found.length === limit;
    return { items: found.map(keyView), ...(hasMore ? { next: last.id } : {}) };
  },
  ({ tenants }) => ({ tenants }),
);

/** Creates a key. `tenantNamed` is the tenant that the request names in its header. */
export async function createKey(
  keys: Keys,
  caller: Caller,
  { role, note = '', expiresAt, tenantNamed }: NewKey & { tenantNamed: unknown },
): Promise<{ key: KnownKey; text: string }> {
  return keys.create({
    tenant: tenantOfNew(caller, role, tenantNamed),
    role,
    note,
    expiresAt: expiresAt === undefined ? null : expiryOf(expiresAt),
    author: caller.key,
  });
}

/** Refuses an id that none of the tenants has. */
export async function revokeKey(
  keys: Keys,
  caller: Caller,
  { id, tenants }: { id: string; tenants: readonly string[] },
): Promise<KnownKey> {
  const key = await keys.revoke({ tenants, id, author: caller.key });
  if (key === null) throw new ApiError('not_found', 'there is no key with this id');
  return key;
}

/** A platform key that names no tenant also sees the keys of the platform, those of workers included. */
export function visibleTenants({ tenant, platform }: Caller, named: unknown): readonly string[] {
  return platform && named === undefined ? [tenant, PLATFORM] : [tenant];
}

/** The instant in full: a date is its midnight. */
function expiryOf(expiresAt: string): string {
  const at = instantMs(expiresAt);
  if (at === null) {
    throw new ApiError('invalid', `must be ${rangeText('instant')}`, { field: 'expiresAt' });
  }
  if (at > Date.now()) return new Date(at).toISOString();
  throw new ApiError('invalid', 'must be in the future', { field: 'expiresAt' });
}

/** Workers run tasks of every tenant, so only the platform creates their keys. */
function tenantOfNew(caller: Caller, role: string, named: unknown): string {
  if (role !== 'worker') return caller.tenant;
  // A request that names a tenant expects a key bound to that tenant, and a worker's key is not.
  if (caller.platform && named !== undefined && named !== PLATFORM) {
    const message =
      'worker keys belong to the platform, not to a tenant; send no Signalbox-Tenant header';
    throw new ApiError('invalid', message, { field: 'role' });
  }
  if (caller.platform) return PLATFORM;
  throw new ApiError('forbidden', 'creating a worker key needs a platform key with the role admin');
}
