import pg from 'pg';
import { parseColumn } from './column-types.ts';

/** A row by the names of its columns; the caller of the statement knows its type. */
export type Row = Readonly<Record<string, unknown>>;

interface Column {
  readonly name: string;
  readonly dataTypeID: number;
}

/**
 * How one round trip ended. `refused` is certain: the server rolled back and is ready for more.
 * `lost` is not: everything that was sent may have been executed.
 */
export type PipelineOutcome =
  | { readonly kind: 'done'; readonly rows: readonly (readonly Row[])[] }
  | { readonly kind: 'refused'; readonly error: pg.DatabaseError; readonly step: number }
  | { readonly kind: 'lost'; readonly error: Error };

/**
 * Several prepared statements in one round trip and one implicit transaction: the server commits
 * at the Sync that ends the bytes, or rolls everything back at the first error and skips the rest.
 * A custom query object, because `pg` itself sends a Sync after every statement.
 */
export class Pipeline implements pg.Submittable {
  /** `pg` reads both for named queries; this query has no name. */
  readonly name = undefined;
  readonly text = undefined;
  private readonly bytes: Buffer;
  private readonly resolve: (outcome: PipelineOutcome) => void;
  private readonly rows: Row[][] = [];
  private current: Row[] = [];
  private columns: readonly Column[] = [];

  constructor(bytes: Buffer, resolve: (outcome: PipelineOutcome) => void) {
    this.bytes = bytes;
    this.resolve = resolve;
  }

  submit(connection: pg.Connection): null {
    connection.stream.write(this.bytes);
    return null;
  }

  handleRowDescription(message: { readonly fields: readonly Column[] }): void {
    this.columns = message.fields;
  }

  handleDataRow(message: { readonly fields: readonly (string | null)[] }): void {
    if (this.columns.length === 0) return;
    const row: Record<string, unknown> = {};
    for (const [i, { name, dataTypeID }] of this.columns.entries()) {
      row[name] = parseColumn(dataTypeID, message.fields[i] ?? null);
    }
    this.current.push(row);
  }

  handleCommandComplete(): void {
    this.rows.push(this.current);
    this.current = [];
    this.columns = [];
  }

  handleReadyForQuery(): void {
    this.resolve({ kind: 'done', rows: this.rows });
  }

  handleError(error: Error, connection: pg.Connection): void {
    if (!(error instanceof pg.DatabaseError)) {
      this.resolve({ kind: 'lost', error });
      return;
    }
    const step = this.rows.length;
    const onReady = (): void => {
      connection.off('end', onEnd);
      this.resolve({ kind: 'refused', error, step });
    };
    // A server that shuts down, or panics while it writes the commit, sends an error and closes the
    // connection, possibly after the commit. Only "ready" proves the rollback; the severity is translated
    // text and proves nothing.
    const onEnd = (): void => {
      connection.off('readyForQuery', onReady);
      this.resolve({ kind: 'lost', error });
    };
    connection.once('readyForQuery', onReady);
    connection.once('end', onEnd);
  }

  handleEmptyQuery(): void {}
  handlePortalSuspended(): void {}
  handleCopyInResponse(): void {}
  handleCopyData(): void {}
}
