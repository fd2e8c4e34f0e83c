import { setTimeout as delay } from 'node:timers/promises';
import { StoreError } from '../../errors.ts';
import type { Connection } from '../connection/connection.ts';
import { step } from '../connection/step.ts';
import type { Database } from '../database.ts';
import { limitLockWait } from '../sql/session/limit-lock-wait.ts';

const ATTEMPTS_MAX = 20;
const PAUSE_MS = 50;

/**
 * Commits queue behind a schema change that waits for a table lock. So it waits briefly, releases
 * everything, and retries: commits run in between.
 */
export async function withShortLocks<T>(
  database: Database,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await database.maintenance(async (connection) => {
        await connection.query(step(limitLockWait(database.schema)));
        return work(connection);
      });
    } catch (error) {
      const wasBlocked = error instanceof StoreError && error.kind === 'conflict';
      if (!wasBlocked || attempt >= ATTEMPTS_MAX) throw error;
      await delay(PAUSE_MS);
    }
  }
}
