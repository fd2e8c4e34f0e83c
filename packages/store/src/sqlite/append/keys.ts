import type { Commit, HeldKey } from '../../store.ts';
import type { Context } from '../context.ts';
import { readKeys } from '../keys.ts';
import { insertKeys } from '../sql/insert-keys.ts';
import { type BatchTable, scratchId, writeInBatches } from './row-batch.ts';

const TABLE: BatchTable<HeldKey> = {
  sql: insertKeys,
  bind: (values, { tenant, key, run }, index) => {
    values.push(tenant, key, scratchId(index, run));
  },
};

/** I2. Answers whether all keys were free; if not, the transaction is to be given up. */
export function takeKeys({ db }: Context, commit: Commit): boolean {
  const claims = claimsOf(commit);
  return writeInBatches(db, claims, TABLE) === claims.length;
}

/** Names that are taken keep their run: the statement passes them over. */
export function writeAliases({ db }: Context, aliases: readonly HeldKey[]): void {
  if (aliases.length > 0) writeInBatches(db, aliases, TABLE);
}

/**
 * All keys that stand in the commit's way, looked up after it was given up: inside, its own keys
 * would be among those found. Within one commit the first run that names a key gets it.
 */
export function findTakenKeys(context: Context, commit: Commit): HeldKey[] {
  const claims = claimsOf(commit);
  const holders = new Map(readKeys(context, claims).map((held) => [nameOf(held), held]));
  const taken = new Map<string, HeldKey>();
  for (const claim of claims) {
    const holder = holders.get(nameOf(claim));
    if (holder === undefined) holders.set(nameOf(claim), claim);
    else taken.set(nameOf(claim), holder);
  }
  return [...taken.values()];
}

function claimsOf(commit: Commit): HeldKey[] {
  const claims: HeldKey[] = [];
  for (const { runs } of commit.parts) {
    for (const { tenant, keys, id } of runs) {
      for (const key of keys) claims.push({ tenant, key, run: id });
    }
  }
  return claims;
}

/** No text holds a NUL, so two names never run together. */
function nameOf({ tenant, key }: HeldKey): string {
  return `${tenant}\0${key}`;
}
