import { randomInt } from 'node:crypto';
import { step } from '../connection/step.ts';
import type { Database } from '../database.ts';
import { lockAttempt } from '../sql/voided/lock-attempt.ts';
import { voidAttempt } from '../sql/voided/void-attempt.ts';

const TWO_32 = 2 ** 32;

/**
 * Attempts to commit whose result was lost. The server may still be executing one, or may not
 * have started: the request can be in a buffer of a kernel or a proxy and arrive minutes after the
 * connection was closed. A read-back that finds nothing is final only if the attempt can no longer succeed.
 *
 * Each attempt has a token. The commit holds the token's lock while it runs (`append-guard`), and
 * its fence looks for the token among the voided ones, in a statement that begins after the lock
 * was granted. Voiding takes the same lock exclusively and writes the token:
 *
 * - an attempt that is under way ends first, and the read-back sees its result;
 * - an attempt that begins later finds its token voided and writes nothing.
 *
 * A process that dies between the loss and the read-back leaves no gap: no caller has concluded
 * anything, and the next owner's fence takes the seq that the late commit needs.
 */
export class LostAttempts {
  private readonly database: Database;
  private readonly high = randomInt(2 ** 20) * TWO_32;
  private low = randomInt(TWO_32);
  private readonly pending = new Set<number>();

  constructor(database: Database) {
    this.database = database;
  }

  /** Two attempts with the same token, even of different stores, at worst void each other needlessly. */
  newToken(): number {
    this.low = (this.low + 1) % TWO_32;
    return this.high + this.low;
  }

  add(token: number): void {
    this.pending.add(token);
  }

  /** When this returns, every attempt lost so far has ended for good. */
  async voidAll(): Promise<void> {
    for (const token of [...this.pending]) {
      const { schema, pool } = this.database;
      const steps = [
        step(lockAttempt(schema), 1, (writer) => writer.int8(token)),
        step(voidAttempt(schema), 1, (writer) => writer.int8(token)),
      ];
      await this.database.pipeline(pool, steps, 'repeatable');
      this.pending.delete(token);
    }
  }
}
