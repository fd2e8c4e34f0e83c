import type { AppendResult, Commit } from '../../contract/journal.ts';
import type { HeldKey } from '../../contract/keys.ts';
import { keyChecksum } from '../../damage/row-checksums.ts';
import {
  distinctKeys,
  entriesTaken,
  type RequestedKey,
  requestedKeys,
  takenKeys,
} from '../../taken-keys.ts';
import type { Context } from '../context.ts';
import { findStoredKeys, readStoredKeys } from '../keys.ts';
import { insertAliases } from '../sql/keys/insert-aliases.ts';
import { insertKeys } from '../sql/keys/insert-keys.ts';
import { releaseKey } from '../sql/keys/release-key.ts';
import { type BatchTable, scratchId, writeInBatches } from './row-batch.ts';

const KEYS: BatchTable<HeldKey> = {
  sql: insertKeys,
  bind: (values, { tenant, key, run }, index) => {
    const checksum = keyChecksum({ tenant, key, run, entry: null, atMs: null });
    values.push(tenant, key, scratchId(index, run), checksum);
  },
};

const NAMES: BatchTable<RequestedKey> = {
  sql: insertAliases,
  bind: (values, { tenant, key, run, atMs }, index) => {
    const checksum = keyChecksum({ tenant, key, run, entry: null, atMs });
    values.push(tenant, key, scratchId(index, run), atMs, checksum);
  },
};

/** I2. Returns whether all keys were free; if not, the caller rolls the transaction back. */
export function takeKeys(context: Context, commit: Commit): boolean {
  const { db } = context;
  const requested = requestedKeys(commit);
  const isPlain = commit.parts.every(
    ({ claims, inboxTaken }) => claims === undefined && inboxTaken.length === 0,
  );
  if (isPlain) return writeInBatches(db, requested, KEYS) === requested.length;
  const freed = entriesTaken(commit);
  for (const id of freed) db.run(releaseKey, id);
  if (requested.length === 0) return true;
  if (takenKeys(requested, findStoredKeys(context, requested), freed) !== null) return false;
  // A claim of the run that has the key already changes nothing.
  writeInBatches(db, distinctKeys(requested), NAMES);
  return true;
}

/** Keys that are taken keep their run: the statement ignores them. */
export function writeAliases(
  { db }: Context,
  { aliases, atMs }: { aliases: readonly HeldKey[]; atMs: number },
): void {
  if (aliases.length === 0) return;
  const named = aliases.map(({ tenant, key, run }) => ({ tenant, key, run, atMs }));
  writeInBatches(db, named, NAMES);
}

/**
 * All keys that conflict with the commit, looked up after it was rolled back: inside the transaction its own
 * keys would be among them.
 */
export function findTakenKeys(context: Context, commit: Commit): AppendResult | null {
  const requested = requestedKeys(commit);
  return takenKeys(requested, readStoredKeys(context, requested), entriesTaken(commit));
}
