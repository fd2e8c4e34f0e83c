import { keyChecksum } from '../../damage/row-checksums.ts';
import type { AppendResult, Commit, HeldKey } from '../../store.ts';
import {
  distinctKeys,
  entriesTaken,
  takenKeys,
  type WantedKey,
  wantedKeys,
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

const NAMES: BatchTable<WantedKey> = {
  sql: insertAliases,
  bind: (values, { tenant, key, run, atMs }, index) => {
    const checksum = keyChecksum({ tenant, key, run, entry: null, atMs });
    values.push(tenant, key, scratchId(index, run), atMs, checksum);
  },
};

/** I2. Returns whether all keys were free; if not, the transaction is to be given up. */
export function takeKeys(context: Context, commit: Commit): boolean {
  const { db } = context;
  const wanted = wantedKeys(commit);
  const isPlain = commit.parts.every(
    ({ claims, inboxTaken }) => claims === undefined && inboxTaken.length === 0,
  );
  if (isPlain) return writeInBatches(db, wanted, KEYS) === wanted.length;
  const freed = entriesTaken(commit);
  for (const id of freed) db.run(releaseKey, id);
  if (wanted.length === 0) return true;
  if (takenKeys(wanted, findStoredKeys(context, wanted), freed) !== null) return false;
  // A claim of the run that has the key already changes nothing.
  writeInBatches(db, distinctKeys(wanted), NAMES);
  return true;
}

/** Names that are taken keep their run: the statement passes them over. */
export function writeAliases(
  { db }: Context,
  { aliases, atMs }: { aliases: readonly HeldKey[]; atMs: number },
): void {
  if (aliases.length === 0) return;
  const named = aliases.map(({ tenant, key, run }) => ({ tenant, key, run, atMs }));
  writeInBatches(db, named, NAMES);
}

/**
 * All keys that stand in the commit's way, looked up after it was given up: inside, its own keys
 * would be among those found.
 */
export function findTakenKeys(context: Context, commit: Commit): AppendResult | null {
  const wanted = wantedKeys(commit);
  return takenKeys(wanted, readStoredKeys(context, wanted), entriesTaken(commit));
}
