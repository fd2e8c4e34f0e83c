import { firstIdOf } from '@signalbox/engine';
import type { HeldKey } from '../contract/keys.ts';
import { verify } from '../damage/damaged-rows.ts';
import { keyChecksum } from '../damage/row-checksums.ts';
import type { Store } from '../store.ts';
import { keyPlace, requireReadable, type StoredKey } from '../taken-keys.ts';
import { requireTexts } from '../validate-text.ts';
import type { Context } from './context.ts';
import type { Row } from './database.ts';
import { idBytes, toId } from './rows.ts';
import { forgetKey } from './sql/keys/forget-key.ts';
import { readKey } from './sql/keys/read-key.ts';
import { readOldKeys } from './sql/keys/read-old-keys.ts';
import { readIsLive } from './sql/runs/read-is-live.ts';

const BEFORE_ALL: HeldKey = { run: firstIdOf(0), tenant: '', key: '' };

export function readKeys(
  context: Context,
  keys: readonly { tenant: string; key: string }[],
): HeldKey[] {
  return readStoredKeys(context, keys)
    .map(requireReadable)
    .flatMap(({ tenant, key, run, entry }) => (entry === null ? [{ tenant, key, run }] : []));
}

/** Reserved keys included. */
export function readStoredKeys(
  context: Context,
  keys: readonly { tenant: string; key: string }[],
): StoredKey[] {
  for (const { tenant, key } of keys) requireTexts({ tenant, key });
  return context.db.read(() => findStoredKeys(context, keys));
}

/** As `readStoredKeys`, inside a transaction and with validated texts. */
export function findStoredKeys(
  { db, damage }: Context,
  keys: readonly { tenant: string; key: string }[],
): StoredKey[] {
  return keys.flatMap(({ tenant, key }): StoredKey[] => {
    const row = db.get(readKey, tenant, key);
    if (row === undefined) return [];
    const stored = damage.read(keyPlace({ tenant, key }), row, () => toStoredKey(row));
    return [stored ?? { tenant, key, run: BEFORE_ALL.run, entry: null, damaged: true }];
  });
}

export function forgetKeys(
  context: Context,
  query: Parameters<Store['forgetKeys']>[0],
): { forgotten: number; last: HeldKey | null } {
  const { db, catalog } = context;
  const { beforeMs, after, limit } = query;
  const { tenant, key, run } = after ?? BEFORE_ALL;
  requireTexts({ tenant, key });
  const border = idBytes(firstIdOf(Math.max(0, beforeMs)));
  return db.write(() => {
    catalog.refresh();
    const seen = db.all(readOldKeys, border, idBytes(run), tenant, key, limit);
    let forgotten = 0;
    for (const row of seen) {
      if (row['entry'] !== null || ((row['at_ms'] as number | null) ?? 0) >= beforeMs) continue;
      const held = toHeldKey(row);
      if (isLive(context, held)) continue;
      forgotten += db.run(forgetKey, held.tenant, held.key);
    }
    const last = seen.length < limit ? undefined : seen.at(-1);
    return { forgotten, last: last === undefined ? null : toHeldKey(last) };
  });
}

function isLive({ db, catalog }: Context, { tenant, run }: HeldKey): boolean {
  const segment = catalog.find(run.ms);
  return segment !== null && db.get(readIsLive(segment), tenant, idBytes(run)) !== undefined;
}

/** Throws if the row does not match its checksum. */
export function toStoredKey(row: Row): StoredKey {
  const { atMs, ...stored } = keyOf(row);
  verify(row['checksum'] as number | null, () => keyChecksum({ ...stored, atMs }));
  return stored;
}

export function keyOf(row: Row): StoredKey & { readonly atMs: number | null } {
  return {
    ...toHeldKey(row),
    entry: row['entry'] as string | null,
    atMs: row['at_ms'] as number | null,
  };
}

function toHeldKey(row: Row): HeldKey {
  return { tenant: row['tenant'] as string, key: row['key'] as string, run: toId(row['run']) };
}
