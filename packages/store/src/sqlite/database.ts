import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { StoreError } from '../errors.ts';
import { isCommitInDoubt, toStoreError } from './failure.ts';
import {
  BEGIN_MIGRATION,
  BEGIN_READ,
  BEGIN_WRITE,
  COMMIT,
  ROLLBACK,
} from './sql/session/transaction.ts';
import { countResolvedDoubt } from './sql/settings/count-resolved-doubt.ts';

export type Row = Readonly<Record<string, unknown>>;

/** One connection: statements are prepared once, and every failure leaves as a `StoreError`. */
export class Database {
  private readonly db: DatabaseSync;
  private readonly statements = new Map<string, StatementSync>();
  private isInDoubt = false;
  private isClosed = false;
  /** Called when a transaction is rolled back: state that was cached inside it is invalid. */
  onRollback: () => void = () => {};

  constructor(db: DatabaseSync) {
    this.db = db;
  }

  prepare(sql: string): StatementSync {
    let statement = this.statements.get(sql);
    if (statement === undefined) {
      statement = this.db.prepare(sql);
      this.statements.set(sql, statement);
    }
    return statement;
  }

  get(sql: string, ...values: SQLInputValue[]): Row | undefined {
    return this.prepare(sql).get(...values);
  }

  all(sql: string, ...values: SQLInputValue[]): Row[] {
    return this.prepare(sql).all(...values);
  }

  /** Row by row, for a reader that may stop before the last. */
  each(sql: string, ...values: SQLInputValue[]): Iterable<Row> {
    return this.prepare(sql).iterate(...values);
  }

  /** As `each`, with every row converted. */
  *eachAs<Item>(
    toItem: (row: Row) => Item,
    sql: string,
    ...values: SQLInputValue[]
  ): Generator<Item> {
    for (const row of this.each(sql, ...values)) yield toItem(row);
  }

  /** Returns how many rows changed. */
  run(sql: string, ...values: SQLInputValue[]): number {
    return Number(this.prepare(sql).run(...values).changes);
  }

  /** As `run`, for values that are in an array already: spreading a long one twice shows. */
  runAll(sql: string, values: SQLInputValue[]): number {
    return Number(this.prepare(sql).run(...values).changes);
  }

  exec(sql: string): void {
    this.db.exec(sql);
  }

  /** Statements of dropped tables only use memory. */
  forgetStatements(): void {
    this.statements.clear();
  }

  read<T>(work: () => T): T {
    return this.transaction(BEGIN_READ, work, () => true);
  }

  /** Commits if `shouldCommit` returns true for the result of the work, and rolls back otherwise. */
  write<T>(work: () => T, shouldCommit: (result: T) => boolean = () => true): T {
    return this.transaction(BEGIN_WRITE, work, shouldCommit);
  }

  migrate(work: () => void): void {
    this.transaction(BEGIN_MIGRATION, work, () => true);
  }

  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.statements.clear();
    this.db.close();
  }

  private transaction<T>(begin: string, work: () => T, shouldCommit: (result: T) => boolean): T {
    if (this.isClosed) throw new StoreError('unavailable', 'the store is closed');
    // A transaction whose rollback failed is still open, and BEGIN would be refused.
    if (this.db.isTransaction) this.rollback();
    this.resolveDoubt();
    try {
      this.run(begin);
      const result = work();
      if (shouldCommit(result)) this.commit();
      else this.rollback();
      return result;
    } catch (error) {
      this.giveUp();
      throw toStoreError(error);
    }
  }

  private commit(): void {
    try {
      this.run(COMMIT);
    } catch (error) {
      if (!isCommitInDoubt(error)) throw error;
      this.isInDoubt = true;
      throw new StoreError('unknown', 'SQLite: the disk failed during COMMIT', { cause: error });
    }
  }

  private rollback(): void {
    this.onRollback();
    // A failed COMMIT and some failures of the disk have rolled back by themselves.
    if (this.db.isTransaction) this.db.exec(ROLLBACK);
  }

  /** Rolls back after a failure; the caller gets that failure, not one of the rollback. */
  private giveUp(): void {
    try {
      this.rollback();
    } catch {
      // The disk fails: the next call rolls back before it begins.
    }
  }

  /**
   * After a COMMIT in doubt its frames may still lie in the log, where this process no longer sees
   * them but recovery after a crash would. The next durable commit is written over them; only after it
   * does their absence prove that they were not committed.
   */
  private resolveDoubt(): void {
    if (!this.isInDoubt) return;
    try {
      this.db.exec(BEGIN_WRITE);
      this.run(countResolvedDoubt);
      this.db.exec(COMMIT);
      this.isInDoubt = false;
    } catch (error) {
      this.giveUp();
      throw new StoreError('unavailable', 'SQLite: the disk still fails', { cause: error });
    }
  }
}
