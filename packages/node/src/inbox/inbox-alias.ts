import { createHash, randomInt } from 'node:crypto';
import { formatIdBytes, inboxId, parseIdBytes, readRunId } from '@signalbox/engine';

/**
 * An alias of a request, or derived from a key, has the position in its batch in place of the timestamp; no other
 * alias has a timestamp this early.
 */
const POSITIONS_MAX = 1_000;

export function randomAlias(partition: number, ms: number): string {
  const randomHigh = randomInt(2 ** 32);
  const late = Math.max(ms, POSITIONS_MAX);
  return inboxId({ ms: late, partition, randomHigh, randomLow: randomInt(2 ** 32) });
}

/** The alias of a request's first submission; `aliasAt` gives those of the others. */
export function requestAlias(partition: number): string {
  const randomHigh = randomInt(2 ** 32);
  return inboxId({ ms: 0, partition, randomHigh, randomLow: randomInt(2 ** 32) });
}

/** The alias of a request's submission at this position. */
export function aliasAt(alias: string, position: number): string {
  const bytes = parseIdBytes(alias);
  // Not an alias of a request: the key has other content, which the caller detects.
  if (readRunId(bytes).ms !== 0) return alias;
  bytes[4] = position >> 8;
  bytes[5] = position & 0xff;
  return formatIdBytes(bytes);
}

/**
 * Derived from a key that is never reused, so that two nodes that store the same entry store it once. Not for keys of
 * clients: retention deletes those, and the alias could still name the earlier run.
 */
export function aliasOf({
  tenant,
  key,
  partition,
}: {
  tenant: string;
  key: string;
  partition: number;
}): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([tenant, key]))
    .digest();
  const randomHigh = digest.readUInt32BE(0);
  return inboxId({ ms: 0, partition, randomHigh, randomLow: digest.readUInt32BE(4) });
}

/** The entry that an alias belongs to, and the position of its submission in that entry. */
export function parseAlias(text: string): { entry: string; position: number } {
  const bytes = parseIdBytes(text);
  const { ms } = readRunId(bytes);
  if (ms >= POSITIONS_MAX) return { entry: text, position: 0 };
  return { entry: formatIdBytes(bytes.fill(0, 0, 6)), position: ms };
}
