import { NAME_PATTERN, PLATFORM, type Role } from '@signalbox/protocol';
import { ApiError } from '../errors/api-error.ts';
import type { Identity } from './authenticator.ts';

const RANK: Readonly<Record<Role, number>> = {
  worker: -1,
  viewer: 0,
  submitter: 1,
  operator: 2,
  admin: 3,
};
const TENANT_NAME = new RegExp(NAME_PATTERN);
export const TENANT_DEFAULT = 'default';

/** What a route asks of its caller. */
export interface Demand {
  readonly role: Role | 'none' | 'signed';
  readonly platform?: boolean;
  readonly alsoWorker?: boolean;
}

export function mayCall(demand: Demand, who: Identity): boolean {
  if (demand.role === 'none' || demand.role === 'signed') return true;
  if (demand.platform === true && who.tenant !== PLATFORM) return false;
  if (who.role === 'worker') return demand.role === 'worker' || demand.alsoWorker === true;
  if (demand.role === 'worker') return who.role === 'admin' && who.tenant === PLATFORM;
  return RANK[who.role] >= RANK[demand.role];
}

/** The key that a route asks for, as an error and the API document name it. */
export function neededKey({ role, platform, alsoWorker }: Demand): string {
  const kind = platform === true ? 'platform key' : 'key';
  if (role === 'worker') return `a ${kind} with the role worker`;
  return `a ${kind} with the role ${role} or higher${alsoWorker === true ? ', or with the role worker' : ''}`;
}

/** The tenant that a request acts on: the key's own, or the one that a key of the platform names. */
export function tenantOf(who: Identity, header: string | undefined, everyTenant: boolean): string {
  if (who.tenant !== PLATFORM) {
    if (header === undefined || header === who.tenant) return who.tenant;
    throw new ApiError(
      'forbidden',
      'the key belongs to another tenant than the header Signalbox-Tenant names; only platform keys can choose a tenant',
    );
  }
  if (header === undefined) return TENANT_DEFAULT;
  if (header === PLATFORM && everyTenant) return PLATFORM;
  if (TENANT_NAME.test(header)) return header;
  throw new ApiError('invalid', 'is not a valid tenant name', { field: 'Signalbox-Tenant' });
}
