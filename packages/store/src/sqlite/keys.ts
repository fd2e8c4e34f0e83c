import { firstIdOf } from '@signalbox/engine';
import type { HeldKey, Store } from '../store.ts';
import { requireTexts } from '../validate-text.ts';
import type { Context } from './context.ts';
import type { Row } from './database.ts';
import { idBytes, toId } from './rows.ts';
import { FORGET_KEY, READ_OLD_KEYS, readIsLive } from './sql/forget-keys.ts';
import { READ_KEY } from './sql/read-key.ts';

const BEFORE_ALL: HeldKey = { run: firstIdOf(0), tenant: '', key: '' };

export function readKeys(
  { db }: Context,
  keys: readonly { tenant: string; key: string }[],
): HeldKey[] {
  for (const { tenant, key } of keys) requireTexts({ tenant, key });
  return db.read(() =>
    keys.flatMap(({ tenant, key }) => {
      const row = db.get(READ_KEY, tenant, key);
      return row === undefined ? [] : [{ tenant, key, run: toId(row['run']) }];
    }),
  );
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
    const seen = db
      .all(READ_OLD_KEYS, border, idBytes(run), tenant, key, limit)
      .map((row) => toHeldKey(row));
    let forgotten = 0;
    for (const held of seen) {
      if (isLive(context, held)) continue;
      forgotten += db.run(FORGET_KEY, held.tenant, held.key);
    }
    return { forgotten, last: seen.length < limit ? null : (seen.at(-1) ?? null) };
  });
}

function isLive({ db, catalog }: Context, { tenant, run }: HeldKey): boolean {
  const segment = catalog.find(run.ms);
  return segment !== null && db.get(readIsLive(segment), tenant, idBytes(run)) !== undefined;
}

function toHeldKey(row: Row): HeldKey {
  return { tenant: row['tenant'] as string, key: row['key'] as string, run: toId(row['run']) };
}
