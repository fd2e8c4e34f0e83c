import { type RunId, readRunId, writeRunId } from '@signalbox/engine';

const ID_BYTES = 16;

/**
 * A cursor after a place whose id is damaged, as close as a run id can be: after a cursor before it the next
 * page would begin with the same place again.
 */
export function cursorId(bytes: Uint8Array): RunId {
  const padded = new Uint8Array(ID_BYTES);
  padded.set(bytes.subarray(0, ID_BYTES));
  const id = readRunId(padded);
  const written = new Uint8Array(ID_BYTES);
  writeRunId(written, 0, id.ms, id.partition, id.seq);
  return Buffer.compare(written, bytes) < 0 ? { ms: id.ms + 1, partition: 0, seq: 0 } : id;
}
