import { type RunId, writeRunId } from '@signalbox/engine';
import { StoreError } from '../../errors.ts';

/** Oids of the types that this store writes and reads. */
export const Oid = {
  bool: 16,
  bytea: 17,
  int8: 20,
  int2: 21,
  int4: 23,
  text: 25,
  uuid: 2950,
} as const;

const BYTES_FIRST = 16 * 1024;
/** A larger buffer is released after use: one huge commit must not determine its size permanently. */
const BYTES_KEPT_MAX = 4 * 1024 * 1024;
const TWO_32 = 2 ** 32;
/** Below this length a loop over the characters beats the call into the runtime. */
const SHORT_TEXT = 32;

/**
 * Values in PostgreSQL's binary form, in one growing buffer: no string of escapes, no buffer per
 * value, nothing for the server to parse. A parameter and an element of an array have the same
 * form: a length and that many bytes.
 */
export class ValueWriter {
  protected bytes: Buffer = Buffer.allocUnsafe(BYTES_FIRST);
  protected at = 0;
  private arrayAt = 0;
  private dataAt = 0;

  /** Starts a new message. */
  reset(): void {
    if (this.bytes.length > BYTES_KEPT_MAX) this.bytes = Buffer.allocUnsafe(BYTES_FIRST);
    this.at = 0;
  }

  null(): void {
    this.reserve(4);
    this.int32(-1);
  }

  bool(value: boolean): void {
    this.reserve(5);
    this.int32(1);
    this.bytes[this.at++] = value ? 1 : 0;
  }

  int2(value: number): void {
    if ((value << 16) >> 16 !== value) refuse(value);
    this.reserve(6);
    this.int32(2);
    this.int16(value);
  }

  int4(value: number): void {
    if ((value | 0) !== value) refuse(value);
    this.reserve(8);
    this.int32(4);
    this.int32(value);
  }

  int8(value: number): void {
    if (!Number.isSafeInteger(value)) refuse(value);
    this.reserve(12);
    this.int32(8);
    this.int32(Math.floor(value / TWO_32));
    this.int32(value >>> 0);
  }

  uuid(id: RunId): void {
    this.reserve(20);
    this.int32(16);
    writeRunId(this.bytes, this.at, id.ms, id.partition, id.seq);
    this.at += 16;
  }

  text(value: string): void {
    // Three bytes for a unit of UTF-16 at most: reserved for the worst, written once.
    this.reserve(4 + value.length * 3);
    const from = this.at + 4;
    const length =
      value.length < SHORT_TEXT ? this.shortText(value, from) : this.bytes.write(value, from);
    this.int32(length);
    this.at = from + length;
  }

  nullableText(value: string | null): void {
    if (value === null) this.null();
    else this.text(value);
  }

  data(value: Uint8Array): void {
    this.reserve(4 + value.length);
    this.int32(value.length);
    this.bytes.set(value, this.at);
    this.at += value.length;
  }

  nullableData(value: Uint8Array | null): void {
    if (value === null) this.null();
    else this.data(value);
  }

  /** Begins a byte value that consists of the values written until `endData`. */
  beginData(): void {
    this.reserve(4);
    this.dataAt = this.at;
    this.at += 4;
  }

  /** A number among such bytes, without a length before it. */
  number(value: number): void {
    if ((value | 0) !== value) refuse(value);
    this.reserve(4);
    this.int32(value);
  }

  /** Bytes among such bytes, without a length before them. */
  rawBytes(value: Uint8Array): void {
    this.reserve(value.length);
    this.bytes.set(value, this.at);
    this.at += value.length;
  }

  endData(): void {
    this.bytes.writeInt32BE(this.at - this.dataAt - 4, this.dataAt);
  }

  /** Begins an array of `count` elements, which follow. */
  beginArray(oid: number, count: number): void {
    this.reserve(24);
    this.arrayAt = this.at;
    this.at += 4;
    this.int32(count === 0 ? 0 : 1);
    // "May hold nulls": the server looks at each length in any case.
    this.int32(1);
    this.int32(oid);
    if (count === 0) return;
    this.int32(count);
    this.int32(1);
  }

  endArray(): void {
    this.bytes.writeInt32BE(this.at - this.arrayAt - 4, this.arrayAt);
  }

  texts(values: readonly string[]): void {
    this.beginArray(Oid.text, values.length);
    for (const value of values) this.text(value);
    this.endArray();
  }

  int4s(values: readonly number[]): void {
    this.beginArray(Oid.int4, values.length);
    for (const value of values) this.int4(value);
    this.endArray();
  }

  int8s(values: readonly number[]): void {
    this.beginArray(Oid.int8, values.length);
    for (const value of values) this.int8(value);
    this.endArray();
  }

  uuids(values: readonly RunId[]): void {
    this.beginArray(Oid.uuid, values.length);
    for (const value of values) this.uuid(value);
    this.endArray();
  }

  protected int16(value: number): void {
    this.bytes[this.at] = value >>> 8;
    this.bytes[this.at + 1] = value;
    this.at += 2;
  }

  protected int32(value: number): void {
    const { bytes, at } = this;
    bytes[at] = value >>> 24;
    bytes[at + 1] = value >>> 16;
    bytes[at + 2] = value >>> 8;
    bytes[at + 3] = value;
    this.at = at + 4;
  }

  protected reserve(count: number): void {
    if (this.at + count <= this.bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.bytes.length * 2, this.at + count));
    this.bytes.copy(larger, 0, 0, this.at);
    this.bytes = larger;
  }

  private shortText(value: string, from: number): number {
    for (let i = 0; i < value.length; i++) {
      const unit = value.charCodeAt(i);
      if (unit > 127) return this.bytes.write(value, from);
      this.bytes[from + i] = unit;
    }
    return value.length;
  }
}

/** Bits that do not fit would be lost, and the row would contain another value. */
function refuse(value: number): never {
  throw new StoreError('invalid', `${value} does not fit its column`);
}
