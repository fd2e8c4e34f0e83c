import { parseIdBytes, readRunId } from '@signalbox/engine';
import { Oid } from '../wire/value-writer.ts';

/** The interface speaks of plain numbers, plain byte arrays and run ids: rows arrive as these. */
export function parseColumn(oid: number, text: string | null): unknown {
  if (text === null) return null;
  switch (oid) {
    case Oid.int2:
    case Oid.int4:
    case Oid.int8:
      // What is kept in a bigint is a millisecond, a seq, an epoch or a sort, all below 2^53.
      return Number(text);
    case Oid.bool:
      return text === 't';
    case Oid.bytea:
      return parseBytes(text);
    case Oid.uuid:
      return readRunId(parseIdBytes(text));
    default:
      return text;
  }
}

/** A plain array, not a Buffer: the other stores return plain arrays, and callers compare them. */
function parseBytes(text: string): Uint8Array {
  const bytes = Buffer.from(text.slice(2), 'hex');
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
}
