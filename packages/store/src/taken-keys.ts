import { compareRunIds, type RunId } from '@signalbox/engine';
import type { InboxEntry, PutResult } from './contract/inbox.ts';
import type { AppendResult, Commit } from './contract/journal.ts';
import type { HeldKey, ReservedKey } from './contract/keys.ts';
import { damaged, type RowPlace } from './damage/damaged-rows.ts';
import { StoreError } from './errors.ts';

/** A stored key: a run's, or reserved by the inbox entry that `entry` names. */
export interface StoredKey extends HeldKey {
  readonly entry: string | null;
  /** The row cannot be read: the key is taken, and its holder is unknown. */
  readonly damaged?: true;
}

export function keyPlace({ tenant, key }: { tenant: string; key: string }): RowPlace {
  return { kind: 'key', key: JSON.stringify([tenant, key]), partition: null, tenant };
}

/** For a caller that needs the holder of the key. */
export function requireReadable(stored: StoredKey): StoredKey {
  if (stored.damaged === true) throw damaged(keyPlace(stored));
  return stored;
}

/** A key that a commit takes; `atMs` is set for a claim, which is later than its run. */
export interface RequestedKey extends HeldKey {
  readonly atMs: number | null;
}

/** Every key that the commit takes, claims before the keys of new runs. */
export function requestedKeys({ parts }: Commit): RequestedKey[] {
  const requested: RequestedKey[] = [];
  for (const { claims, atMs } of parts) {
    for (const { tenant, key, run } of claims ?? []) requested.push({ tenant, key, run, atMs });
  }
  for (const { runs } of parts) {
    for (const { tenant, id: run, keys } of runs) {
      if (keys.length === 0) continue;
      for (const key of keys) requested.push({ tenant, key, run, atMs: null });
    }
  }
  return requested;
}

/** Each key once: two submissions of one key may claim the same run in one commit. */
export function distinctKeys(requested: readonly RequestedKey[]): RequestedKey[] {
  const distinct = new Map<string, RequestedKey>();
  for (const key of requested) {
    const name = nameOf(key);
    if (!distinct.has(name)) distinct.set(name, key);
  }
  return [...distinct.values()];
}

/** The entries that the commit removes from the inbox: it may take the keys that they reserve. */
export function entriesTaken({ parts }: Commit): Set<string> {
  const taken = new Set<string>();
  for (const { inboxTaken } of parts) for (const id of inboxTaken) taken.add(id);
  return taken;
}

/**
 * I2. The keys that cannot be taken, with the runs that hold them or the entries that reserve them;
 * null if all can be taken. Within one commit the first run that names a key gets it and is its holder
 * for later runs.
 */
export function takenKeys(
  requested: readonly RequestedKey[],
  stored: Iterable<StoredKey>,
  freed: ReadonlySet<string>,
): (AppendResult & { kind: 'keyTaken' }) | null {
  const holders = new Map<string, RunId | string>();
  const unreadable = new Set<string>();
  for (const { tenant, key, run, entry, damaged: isDamaged } of stored) {
    if (isDamaged === true) unreadable.add(nameOf({ tenant, key }));
    else if (entry === null) holders.set(nameOf({ tenant, key }), run);
    else if (!freed.has(entry)) holders.set(nameOf({ tenant, key }), entry);
  }
  const own = new Set<string>();
  const keys = new Map<string, HeldKey>();
  const reserved = new Map<string, ReservedKey>();
  const refused = new Map<string, { tenant: string; key: string }>();
  for (const { tenant, key, run, atMs } of requested) {
    const name = nameOf({ tenant, key });
    if (unreadable.has(name)) {
      refused.set(name, { tenant, key });
      continue;
    }
    const holder = holders.get(name);
    if (holder === undefined) {
      holders.set(name, run);
      own.add(name);
    } else if (typeof holder === 'string') reserved.set(name, { tenant, key, entry: holder });
    // A claim may repeat a stored key; a run is new, so a stored key is never its own.
    else if (compareRunIds(holder, run) !== 0 || (atMs === null && !own.has(name))) {
      keys.set(name, { tenant, key, run: holder });
    }
  }
  if (keys.size === 0 && reserved.size === 0 && refused.size === 0) return null;
  return {
    kind: 'keyTaken',
    keys: [...keys.values()],
    reserved: [...reserved.values()],
    ...(refused.size === 0 ? {} : { damaged: [...refused.values()] }),
  };
}

/** No text contains a NUL, so two different names never collide. */
export function nameOf({ tenant, key }: { tenant: string; key: string }): string {
  return `${tenant}\0${key}`;
}

/** The result for an entry whose id or key exists: never an entry of another tenant (I19). */
export function waitingEntry(tenant: string, entry: InboxEntry): PutResult {
  if (entry.tenant !== tenant) throw new StoreError('invalid', 'the id belongs to another tenant');
  return { kind: 'waiting', entry };
}

/** The value of the run column for a reserved key: no run has the number 0. */
export function reservedRun({ atMs, partition }: { atMs: number; partition: number }): RunId {
  return { ms: Math.max(0, atMs), partition, seq: 0 };
}
