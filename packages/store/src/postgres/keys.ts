import { firstIdOf } from '@signalbox/engine';
import type { HeldKey } from '../contract/keys.ts';
import { verify } from '../damage/damaged-rows.ts';
import { keyChecksum } from '../damage/row-checksums.ts';
import type { Store } from '../store.ts';
import { keyPlace, requireReadable, type StoredKey } from '../taken-keys.ts';
import { requireTexts } from '../validate-text.ts';
import { step } from './connection/step.ts';
import { writeDamagedRows } from './damaged-rows.ts';
import type { Database } from './database.ts';
import { forgetKeys as forgetKeysSql } from './sql/keys/forget-keys.ts';
import { readKey } from './sql/keys/read-key.ts';

const BEFORE_ALL: HeldKey = { run: firstIdOf(0), tenant: '', key: '' };

export async function readKeys(
  database: Database,
  keys: readonly { tenant: string; key: string }[],
): Promise<HeldKey[]> {
  const stored = await readStoredKeys(database, keys);
  return stored
    .map(requireReadable)
    .flatMap(({ tenant, key, run, entry }) => (entry === null ? [{ tenant, key, run }] : []));
}

/** Reserved keys included. */
export async function readStoredKeys(
  database: Database,
  keys: readonly { tenant: string; key: string }[],
): Promise<StoredKey[]> {
  for (const { tenant, key } of keys) requireTexts({ tenant, key });
  if (keys.length === 0) return [];
  const rows = await database.read<KeyColumns>(
    step(readKey(database.schema), 2, (writer) => {
      writer.texts(keys.map(({ tenant }) => tenant));
      writer.texts(keys.map(({ key }) => key));
    }),
  );
  const keysRead = rows.map((row): StoredKey => {
    const { tenant, key, run } = row;
    const stored = database.damage.read(keyPlace(row), row, () => toStoredKey(row));
    return stored ?? { tenant, key, run, entry: null, damaged: true };
  });
  await writeDamagedRows(database);
  return keysRead;
}

export interface KeyColumns extends Omit<StoredKey, 'damaged'> {
  readonly at_ms: number | null;
  readonly checksum: number | null;
}

/** Throws if the row does not match its checksum. */
export function toStoredKey(row: KeyColumns): StoredKey {
  const { tenant, key, run, entry, at_ms: atMs } = row;
  verify(row.checksum, () => keyChecksum({ tenant, key, run, entry, atMs }));
  return { tenant, key, run, entry };
}

export async function forgetKeys(
  database: Database,
  query: Parameters<Store['forgetKeys']>[0],
): Promise<{ forgotten: number; last: HeldKey | null }> {
  const { tenant, key, run } = query.after ?? BEFORE_ALL;
  requireTexts({ tenant, key });
  const forget = step(forgetKeysSql(database.schema), 6, (writer) => {
    writer.uuid(firstIdOf(Math.max(0, query.beforeMs)));
    writer.uuid(run);
    writer.text(tenant);
    writer.text(key);
    writer.int8(query.limit);
    writer.int8(Math.max(0, query.beforeMs));
  });
  const [row] = await database.query<ForgottenColumns>(forget, 'once');
  const { forgotten, ...last } = row as ForgottenColumns;
  return { forgotten, last: last.run === null ? null : last };
}

type ForgottenColumns = { readonly forgotten: number } & (
  | HeldKey
  | { readonly run: null; readonly tenant: null; readonly key: null }
);
