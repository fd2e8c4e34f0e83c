import { step } from './connection/step.ts';
import type { Database } from './database.ts';
import { readNow as readNowSql } from './sql/session/read-now.ts';

export async function readNow(database: Database): Promise<number> {
  const [row] = await database.read<{ now_ms: number }>(step(readNowSql(database.schema)));
  return row?.now_ms ?? 0;
}
