import { StoreError } from '../errors.ts';

/** Kinds of rows that a node has to read to continue. */
export type RowKind =
  | 'group'
  | 'checkpoint'
  | 'run'
  | 'end'
  | 'key'
  | 'parked'
  | 'inbox'
  | 'definition'
  | 'blob';

/** Which row it is. */
export interface RowPlace {
  readonly kind: RowKind;
  /** Names the row among those of its kind. */
  readonly key: string;
  readonly partition: number | null;
  readonly tenant: string | null;
}

/** A row that cannot be read, with the columns that were read of it. */
export interface DamagedRow extends RowPlace {
  readonly error: string;
  /** The columns as JSON; bytes are hexadecimal. */
  readonly bytes: Uint8Array;
  /** When it was found, by the store's clock. */
  readonly atMs: number;
}

export type FoundDamage = Omit<DamagedRow, 'atMs'>;

/**
 * The one place that detects damaged rows. A store reads every row through `read`; damaged rows
 * are collected, and the store writes them to its table of damaged rows (`take`) before
 * it returns. A row that is read again is collected at most once a minute, because another node may have
 * forgotten it meanwhile; the listener is called once per row.
 */
export class DamagedRows {
  /** When each row was last collected, by the monotonic clock. */
  readonly #collectedAt = new Map<string, number>();
  #found: FoundDamage[] = [];
  #listener: (row: FoundDamage) => void = () => {};

  onFound(listener: (row: FoundDamage) => void): void {
    this.#listener = listener;
  }

  /** Returns null where the row is damaged. `decode` throws unless the row is as it was written. */
  read<T>(place: RowPlace, columns: object, decode: () => T): T | null {
    try {
      return decode();
    } catch (error) {
      if (error instanceof StoreError) throw error;
      const message = error instanceof Error ? error.message : String(error);
      this.add({ ...place, error: message, bytes: columnBytes(columns) });
      return null;
    }
  }

  /** As `read`, for a reader that cannot continue without the row. */
  require<T>(place: RowPlace, columns: object, decode: () => T): T {
    const row = this.read(place, columns, decode);
    if (row === null) throw damaged(place);
    return row;
  }

  add(row: FoundDamage): void {
    const name = nameOf(row);
    const lastMs = this.#collectedAt.get(name);
    const nowMs = performance.now();
    if (lastMs !== undefined && nowMs - lastMs < AGAIN_MS) return;
    this.#collectedAt.set(name, nowMs);
    this.#found.push(row);
    if (lastMs === undefined) this.#listener(row);
  }

  /** A row that is found again is collected again. */
  forget(row: { readonly kind: string; readonly key: string } | null): void {
    if (row === null) this.#collectedAt.clear();
    else this.#collectedAt.delete(nameOf(row));
  }

  /** Returns the rows found since the last call, for the store to write. */
  take(): readonly FoundDamage[] {
    if (this.#found.length === 0) return NONE;
    const found = this.#found;
    this.#found = [];
    return found;
  }

  /** The rows could not be written: returns them to be written with the next ones. */
  putBack(rows: readonly FoundDamage[]): void {
    this.#found.unshift(...rows);
  }
}

const NONE: readonly FoundDamage[] = [];
const AGAIN_MS = 60_000;

export function damaged({ kind, key }: RowPlace): StoreError {
  return new StoreError(
    'damaged',
    `${kind} ${key} is damaged in the store; "signalbox doctor" lists damaged rows and what to do`,
  );
}

/** Every row is written with a checksum: a row without one was changed. */
export function verify(stored: number | null, computed: () => number): void {
  if (stored === null) throw new RangeError('the checksum is missing');
  if (stored !== computed()) throw new RangeError('the checksum does not match');
}

function nameOf({ kind, key }: { readonly kind: string; readonly key: string }): string {
  return `${kind} ${key}`;
}

function columnBytes(columns: object): Uint8Array {
  return new TextEncoder().encode(
    JSON.stringify(columns, (_, value: unknown) =>
      value instanceof Uint8Array ? { hex: Buffer.from(value).toString('hex') } : value,
    ),
  );
}
