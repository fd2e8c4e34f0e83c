/**
 * A run's name in the world is a UUIDv7 that carries everything needed to find it:
 *
 *   48 bits  millisecond of submission (never falls within a partition)
 *   12 bits  partition
 *    1 bit   0: named by the owner of the partition, 1: an inbox alias (see `inboxId`)
 *   61 bits  the owner's run number, or for an alias random bits
 *
 * Inside the engine a run is (partition, seq): small numbers that hash quickly.
 * Ids of one partition sort as they were submitted, so a range of ids is a range of time,
 * and the journal can be cut into segments that are dropped whole.
 */
export interface RunId {
  readonly ms: number;
  readonly partition: number;
  readonly seq: number;
}

export const PARTITIONS_MAX = 4096;
const HEX: string[] = Array.from({ length: 256 }, (_, i) => i.toString(16).padStart(2, '0'));
const TWO_32 = 2 ** 32;
const DASH = 45;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Writes the 16 bytes of the id at `offset`; no allocation, because it runs once per row written. */
export function writeRunId(
  out: Uint8Array,
  offset: number,
  ms: number,
  partition: number,
  seq: number,
): void {
  const msHigh = Math.floor(ms / 65536);
  const msLow = ms % 65536;
  const seqHigh = Math.floor(seq / TWO_32);
  const seqLow = seq >>> 0;
  out[offset] = (msHigh >>> 24) & 255;
  out[offset + 1] = (msHigh >>> 16) & 255;
  out[offset + 2] = (msHigh >>> 8) & 255;
  out[offset + 3] = msHigh & 255;
  out[offset + 4] = msLow >>> 8;
  out[offset + 5] = msLow & 255;
  out[offset + 6] = 0x70 | (partition >>> 8);
  out[offset + 7] = partition & 255;
  out[offset + 8] = 0x80 | ((seqHigh >>> 24) & 0x1f);
  out[offset + 9] = (seqHigh >>> 16) & 255;
  out[offset + 10] = (seqHigh >>> 8) & 255;
  out[offset + 11] = seqHigh & 255;
  out[offset + 12] = (seqLow >>> 24) & 255;
  out[offset + 13] = (seqLow >>> 16) & 255;
  out[offset + 14] = (seqLow >>> 8) & 255;
  out[offset + 15] = seqLow & 255;
}

export function runIdBytes(id: RunId): Uint8Array {
  const out = new Uint8Array(16);
  writeRunId(out, 0, id.ms, id.partition, id.seq);
  return out;
}

/** The smallest id of a millisecond: the border of a segment. */
export function firstIdOf(ms: number): RunId {
  return { ms, partition: 0, seq: 0 };
}

export function formatIdBytes(bytes: Uint8Array, offset = 0): string {
  let text = '';
  for (let i = 0; i < 16; i++) {
    if (i === 4 || i === 6 || i === 8 || i === 10) text += '-';
    text += HEX[bytes[offset + i] as number];
  }
  return text;
}

export function formatRunId(id: RunId): string {
  return formatIdBytes(runIdBytes(id));
}

export function readRunId(bytes: Uint8Array, offset = 0): RunId {
  const b = (i: number): number => bytes[offset + i] as number;
  const ms = ((b(0) * 256 + b(1)) * 256 + b(2)) * 2 ** 24 + ((b(3) * 256 + b(4)) * 256 + b(5));
  const partition = ((b(6) & 0x0f) << 8) | b(7);
  const seqHigh = (b(8) & 0x1f) * 2 ** 24 + ((b(9) * 256 + b(10)) * 256 + b(11));
  const seqLow = ((b(12) * 256 + b(13)) * 256 + b(14)) * 256 + b(15);
  return { ms, partition, seq: seqHigh * TWO_32 + seqLow };
}

/** Reads an id from text, or null where the text is not one of ours. */
export function parseRunId(text: string): RunId | null {
  if (!UUID.test(text)) return null;
  const bytes = parseIdBytes(text);
  const id = readRunId(bytes);
  // Beyond 2^53 the number would be rounded and could name another run.
  return isInboxAlias(bytes) || !Number.isSafeInteger(id.seq) ? null : id;
}

/** The 32 digits of a UUID, whatever their case; the dashes are passed over. */
export function parseIdBytes(text: string): Uint8Array {
  const bytes = new Uint8Array(16);
  for (let i = 0, at = 0; i < 16; at += 2) {
    if (text.charCodeAt(at) === DASH) at++;
    bytes[i++] = (digitAt(text, at) << 4) | digitAt(text, at + 1);
  }
  return bytes;
}

/** '0'–'9' are 48–57, 'a'–'f' end in 1–6 in either case. */
function digitAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code < 58 ? code - 48 : (code & 0x0f) + 9;
}

export function isInboxAlias(bytes: Uint8Array): boolean {
  return ((bytes[8] as number) & 0x20) !== 0;
}

/**
 * The id handed out for a submission that waits in the inbox: only the owner can number a run,
 * so the client gets an alias at once and the run's idempotency row maps it to the run later.
 */
export function inboxId(params: {
  ms: number;
  partition: number;
  randomHigh: number;
  randomLow: number;
}): string {
  const bytes = new Uint8Array(16);
  const seq = (params.randomHigh >>> 11) * TWO_32 + (params.randomLow >>> 0);
  writeRunId(bytes, 0, params.ms, params.partition, seq);
  bytes[8] = (bytes[8] as number) | 0x20;
  return formatIdBytes(bytes);
}

export function compareRunIds(a: RunId, b: RunId): number {
  return a.ms - b.ms || a.partition - b.partition || a.seq - b.seq;
}
