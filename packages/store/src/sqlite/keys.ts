import { firstIdOf, type RunId } from '@signalbox/engine';
import { requireTexts } from '../validate-text.ts';
import type { Context } from './context.ts';
import { idBytes, toId } from './rows.ts';
import { FORGET_KEYS } from './sql/forget-keys.ts';
import { READ_KEY } from './sql/read-key.ts';

export function readKeys(
  { db }: Context,
  keys: readonly { tenant: string; key: string }[],
): { tenant: string; key: string; run: RunId }[] {
  for (const { tenant, key } of keys) requireTexts({ tenant, key });
  return db.read(() =>
    keys.flatMap(({ tenant, key }) => {
      const row = db.get(READ_KEY, tenant, key);
      return row === undefined ? [] : [{ tenant, key, run: toId(row['run']) }];
    }),
  );
}

export function forgetKeys({ db }: Context, query: { beforeMs: number; limit: number }): number {
  const border = idBytes(firstIdOf(Math.max(0, query.beforeMs)));
  return db.write(() => db.run(FORGET_KEYS, border, query.limit));
}
