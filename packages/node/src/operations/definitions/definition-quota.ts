import { LIMITS } from '@signalbox/protocol';
import type { DefinitionResult, Store } from '@signalbox/store';
import { ApiError } from '../../errors/api-error.ts';
import { getTenant } from '../tenants/tenants.ts';

/** The kinds with a quota, and the setting of a tenant that changes it. */
export const QUOTAS = {
  job: 'maxJobs',
  schedule: 'maxSchedules',
  trigger: 'maxTriggers',
} as const;

export type QuotaKind = keyof typeof QUOTAS;

/** The quota of a tenant whose definition sets none. */
export const QUOTA_DEFAULT = 100_000;

/** Up to this quota every creation counts, which takes milliseconds. */
const COUNTED_MAX = 10_000;
/** A larger quota is counted again after this time, and for every creation in its last tenth. */
const COUNT_AGE_MS = 10_000;
const FAR_SHARE = 0.9;

interface Counted {
  count: number;
  readonly atMs: number;
}

interface Room {
  /** Creations of one node follow each other, so that each counts the one before it. */
  turn: Promise<unknown>;
  counted: Counted | null;
}

const rooms = new WeakMap<Store, Map<string, Room>>();
const ROOMS_MAX = 10_000;

export function hasQuota(kind: string): kind is QuotaKind {
  return Object.hasOwn(QUOTAS, kind);
}

/**
 * Creates a definition if the tenant has room for it. `create` gets the most that the store may count in the
 * transaction of the creation, which makes the quota exact on any number of nodes. It gets nothing far below a
 * large quota, where counting for every creation costs too much.
 */
export async function withinQuota(
  store: Store,
  of: { readonly tenant: string; readonly kind: QuotaKind },
  create: (countMax?: number) => Promise<DefinitionResult>,
): Promise<DefinitionResult> {
  const room = roomOf(store, of);
  const run = room.turn.then(async () => {
    const max = await quotaOf(store, of);
    const created = (await isFar(store, of, { room, max })) ? await create() : await create(max);
    if (created.kind === 'full') throw exceeded(of.kind, created.count, max);
    if (room.counted !== null && created.kind === 'written') room.counted.count += 1;
    return created;
  });
  room.turn = run.catch(() => {});
  return run;
}

/** Whether the tenant is so far below a large quota that a recent count is enough. */
async function isFar(
  store: Store,
  of: { readonly tenant: string; readonly kind: QuotaKind },
  { room, max }: { readonly room: Room; readonly max: number },
): Promise<boolean> {
  if (max <= COUNTED_MAX) return false;
  if (room.counted === null || performance.now() - room.counted.atMs > COUNT_AGE_MS) {
    room.counted = { count: await store.countDefinitions(of), atMs: performance.now() };
  }
  return room.counted.count < max * FAR_SHARE;
}

/** Throws if the tenant has no room for a further definition. */
export async function requireRoom(
  store: Store,
  of: { readonly tenant: string; readonly kind: QuotaKind },
): Promise<void> {
  const max = await quotaOf(store, of);
  const count = await store.countDefinitions(of);
  if (count >= max) throw exceeded(of.kind, count, max);
}

async function quotaOf(
  store: Store,
  { tenant, kind }: { readonly tenant: string; readonly kind: QuotaKind },
): Promise<number> {
  return (await getTenant(store, tenant))?.definition[QUOTAS[kind]] ?? QUOTA_DEFAULT;
}

function exceeded(kind: QuotaKind, count: number, max: number): ApiError {
  const field = QUOTAS[kind];
  const message = `the tenant has ${count} of at most ${max} ${kind}s; delete some, or let an administrator raise ${field} of the tenant (up to ${LIMITS[`tenant.${field}`].max})`;
  return new ApiError('quota_exceeded', message);
}

function roomOf(store: Store, { tenant, kind }: { tenant: string; kind: string }): Room {
  const ofStore = rooms.get(store) ?? new Map<string, Room>();
  rooms.set(store, ofStore);
  const key = `${kind} ${tenant}`;
  const room = ofStore.get(key) ?? { turn: Promise.resolve(), counted: null };
  // Moved to the end; the tenant that has created nothing for the longest time is forgotten.
  ofStore.delete(key);
  ofStore.set(key, room);
  if (ofStore.size > ROOMS_MAX) ofStore.delete(ofStore.keys().next().value as string);
  return room;
}
