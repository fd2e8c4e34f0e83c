import { firstIdOf } from '@signalbox/engine';
import type { HeldKey } from '../store.ts';
import { requireTexts } from '../validate-text.ts';
import { step } from './connection/step.ts';
import type { Database } from './database.ts';
import { forgetKeys as forgetKeysSql } from './sql/forget-keys.ts';
import { readKey } from './sql/read-key.ts';

export async function readKeys(
  database: Database,
  keys: readonly { tenant: string; key: string }[],
): Promise<HeldKey[]> {
  for (const { tenant, key } of keys) requireTexts({ tenant, key });
  if (keys.length === 0) return [];
  return database.read<HeldKey>(
    step(readKey(database.schema), 2, (writer) => {
      writer.texts(keys.map(({ tenant }) => tenant));
      writer.texts(keys.map(({ key }) => key));
    }),
  );
}

export async function forgetKeys(
  database: Database,
  query: { beforeMs: number; limit: number },
): Promise<number> {
  const forget = step(forgetKeysSql(database.schema), 2, (writer) => {
    writer.uuid(firstIdOf(Math.max(0, query.beforeMs)));
    writer.int8(query.limit);
  });
  const [row] = await database.query<{ count: number }>(forget, 'once');
  return row?.count ?? 0;
}
