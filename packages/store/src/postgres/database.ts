import { DamagedRows } from '../damage/damaged-rows.ts';
import type { Connection } from './connection/connection.ts';
import { isWorthRepeating, storeErrorOf } from './connection/failure.ts';
import { Link } from './connection/link.ts';
import { LinkPool } from './connection/link-pool.ts';
import type { Row } from './connection/pipeline.ts';
import { type Step, silentStep } from './connection/step.ts';
import type { PostgresSettings } from './options.ts';
import { readGuard } from './sql/session/read-guard.ts';

/** A schema change or a count over a segment may take minutes; nothing waits for it. */
const MAINTENANCE_TIMEOUT_MS = 600_000;
const MAINTENANCE_IDLE_MS_MAX = 5_000;
const ATTEMPTS_MAX = 3;
/** Leaves time for the response: the server cancels a statement before the client closes the connection. */
const STATEMENT_SHARE = 0.8;

/**
 * What a repeat of a call does. `none`: it only reads. `repeatable`: it is idempotent.
 * `once`: a repeat would do something else, so a lost response is `unknown`.
 */
export type Effect = 'none' | 'repeatable' | 'once';

/**
 * The connections of one store, each with its own duty so that none starves another (F29):
 * commits run one after the other over `appends`; beats and leases use `leases` alone; everything else
 * shares a small pool; each schema change opens a connection and closes it.
 */
export class Database {
  readonly schema: string;
  readonly settings: PostgresSettings;
  readonly damage = new DamagedRows();
  readonly appends: Link;
  readonly leases: Link;
  /** For everything that is neither a commit nor a lease. */
  readonly pool: LinkPool;
  /** How long the server may take for one statement. */
  readonly statementTimeoutMs: number;
  private readonly schemaChanges: Link;
  private readonly guard: Step;

  constructor(settings: PostgresSettings) {
    this.schema = settings.schema;
    this.settings = settings;
    this.statementTimeoutMs = Math.ceil(settings.responseTimeoutMs * STATEMENT_SHARE);
    this.guard = silentStep(readGuard(settings.schema), 1, (writer) => {
      writer.text(String(this.statementTimeoutMs));
    });
    this.appends = new Link(settings);
    this.leases = new Link(settings);
    this.schemaChanges = new Link({
      ...settings,
      responseTimeoutMs: MAINTENANCE_TIMEOUT_MS,
      idleMsMax: MAINTENANCE_IDLE_MS_MAX,
    });
    this.pool = new LinkPool({
      ...settings,
      size: settings.readPoolSize,
      waitMsMax: settings.responseTimeoutMs,
    });
  }

  /** The rows of a statement that only reads. */
  read<R extends object>(only: Step): Promise<R[]> {
    return this.query(only, 'none');
  }

  /** The rows of one statement in a transaction of its own. */
  async query<R extends object>(only: Step, effect: Effect): Promise<R[]> {
    const [rows = []] = await this.pipeline(this.pool, [only], effect);
    return rows as unknown as R[];
  }

  /**
   * Runs statements in one round trip and one transaction and returns the rows of each. Retries after a
   * deadlock, which is rolled back, and after the failure of a connection that died while idle, unless the
   * call may have been executed and is not idempotent.
   */
  async pipeline(
    link: Link | LinkPool,
    steps: readonly Step[],
    effect: Effect = 'once',
  ): Promise<readonly (readonly Row[])[]> {
    const all = [this.guard, ...steps];
    for (let attempt = 1; ; attempt++) {
      const outcome = await link.use((connection) => connection.run(all));
      if (outcome.kind === 'done') return outcome.rows.slice(1);
      const isRepeatable =
        outcome.kind === 'lost' ? effect !== 'once' : isWorthRepeating(outcome.error);
      if (!isRepeatable || attempt >= ATTEMPTS_MAX) {
        throw storeErrorOf(outcome.error, outcome.kind === 'refused' || effect === 'none');
      }
    }
  }

  /** A connection from the pool for a transaction of several round trips. */
  transaction<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    return this.pool.use((connection) => inTransaction(connection, work));
  }

  /** A transaction on the connection for calls that may wait long. */
  maintenance<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    return this.schemaChanges.use((connection) => inTransaction(connection, work));
  }

  async close(): Promise<void> {
    const links = [this.appends, this.leases, this.pool, this.schemaChanges];
    await Promise.all(links.map((link) => link.close()));
  }
}

async function inTransaction<T>(
  connection: Connection,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  let isCommitting = false;
  try {
    await connection.script('begin isolation level read committed');
    const result = await work(connection);
    isCommitting = true;
    await connection.script('commit');
    return result;
  } catch (error) {
    // Before the commit was sent nothing can have been written, however the connection ended.
    if (!connection.isBroken) await connection.script('rollback').catch(() => connection.destroy());
    throw storeErrorOf(error, !isCommitting);
  }
}
