import { LIMITS } from '@signalbox/protocol';
import type { DefinitionResult, Store } from '@signalbox/store';
import { getTenant } from '../api/tenants.ts';
import { ApiError } from '../context.ts';

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
/** A larger quota is counted again after this time, and always in its last tenth. */
const COUNT_AGE_MS = 10_000;

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
 * Creates a definition if the tenant has room for it. On one node the quota is exact. Nodes do not wait for
 * each other: each may create one definition at the same time, so N nodes can exceed a quota by N - 1.
 */
export async function withinQuota(
  store: Store,
  of: { readonly tenant: string; readonly kind: QuotaKind },
  create: () => Promise<DefinitionResult>,
): Promise<DefinitionResult> {
  const room = roomOf(store, of);
  const run = room.turn.then(async () => {
    await requireRoom(store, of, room);
    const created = await create();
    if (room.counted !== null && created.kind !== 'conflict') room.counted.count += 1;
    return created;
  });
  room.turn = run.catch(() => {});
  return run;
}

/** Throws if the tenant has no room for a further definition. */
export async function requireRoom(
  store: Store,
  { tenant, kind }: { readonly tenant: string; readonly kind: QuotaKind },
  room: Room = { turn: Promise.resolve(), counted: null },
): Promise<void> {
  const field = QUOTAS[kind];
  const max = (await getTenant(store, tenant))?.definition[field] ?? QUOTA_DEFAULT;
  if (mustCount(room.counted, max)) {
    const count = await store.countDefinitions({ tenant, kind });
    room.counted = { count, atMs: performance.now() };
  }
  const count = room.counted?.count ?? 0;
  if (count < max) return;
  const message = `the tenant has ${count} of at most ${max} ${kind}s; delete some, or let an administrator raise ${field} of the tenant (up to ${LIMITS[`tenant.${field}`].max})`;
  throw new ApiError('quota_exceeded', message);
}

/** Whether the last count is too old or too close to the quota to rely on. */
function mustCount(counted: Counted | null, max: number): boolean {
  if (counted === null || max <= COUNTED_MAX) return true;
  return counted.count >= max * 0.9 || performance.now() - counted.atMs > COUNT_AGE_MS;
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
