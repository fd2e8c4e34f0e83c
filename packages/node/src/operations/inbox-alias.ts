import { createHash, randomInt } from 'node:crypto';
import { formatIdBytes, inboxId, parseIdBytes, readRunId } from '@signalbox/engine';

/** An alias made of a key says in place of a millisecond which of its batch it is; no other is so early. */
const POSITIONS_MAX = 1_000;

export function randomAlias(partition: number, ms: number): string {
  const randomHigh = randomInt(2 ** 32);
  const late = Math.max(ms, POSITIONS_MAX);
  return inboxId({ ms: late, partition, randomHigh, randomLow: randomInt(2 ** 32) });
}

/** Made of the key, so that asking again gives the same answer. */
export function aliasOf(
  { tenant, key, partition }: { tenant: string; key: string; partition: number },
  position = 0,
): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([tenant, key]))
    .digest();
  const randomHigh = digest.readUInt32BE(0);
  return inboxId({ ms: position, partition, randomHigh, randomLow: digest.readUInt32BE(4) });
}

/** The alias of the entry that an alias belongs to, and which of its submissions it means. */
export function parseAlias(text: string): { entry: string; position: number } {
  const bytes = parseIdBytes(text);
  const { ms } = readRunId(bytes);
  if (ms >= POSITIONS_MAX) return { entry: text, position: 0 };
  return { entry: formatIdBytes(bytes.fill(0, 0, 6)), position: ms };
}
