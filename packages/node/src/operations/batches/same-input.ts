import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { RunId } from '@signalbox/engine';
import { decodeBlobRef } from '@signalbox/protocol';
import type { NodeContext } from '../../context/node-context.ts';
import { parseExactly } from '../../json/exact-json.ts';

/** Runs whose inputs are in memory at once: each has up to 256 KiB. */
const READ_MAX = 64;

/** The stored inputs of existing runs, in the order of their ids. */
export async function keptInputs(
  { loop, store }: NodeContext,
  tenant: string,
  ids: readonly RunId[],
): Promise<(Uint8Array | null | undefined)[]> {
  const inputs: (Uint8Array | null | undefined)[] = [];
  for (let from = 0; from < ids.length; from += READ_MAX) {
    const part = ids.slice(from, from + READ_MAX);
    const live = part.map(({ partition, seq, ms }) => {
      const run = loop.engine.core.books.get(partition)?.runs.get(seq);
      // Memory drops the inputs of runs that wait for long.
      return run?.ms === ms && run.input !== null ? run.input : undefined;
    });
    const missing = part.filter((_, i) => live[i] === undefined).map((id) => ({ tenant, id }));
    const rows =
      missing.length === 0 ? [] : await store.readRuns({ ids: missing, withInput: true });
    for (const [i, id] of part.entries()) {
      const row = rows.find(
        ({ id: each }) => each.seq === id.seq && each.partition === id.partition,
      );
      inputs.push(live[i] ?? row?.input);
    }
  }
  return inputs;
}

/**
 * Whether two stored inputs are equal. A large input is stored as a reference with a digest. The order of JSON members
 * does not matter, and numbers are compared exactly: inputs sent as bytes may have more digits than a double.
 */
export function isSameInput(a: Uint8Array | null, b: Uint8Array | null): boolean {
  if (a === null || b === null) return a === b;
  const [refA, refB] = [decodeBlobRef(a), decodeBlobRef(b)];
  if (refA !== null || refB !== null) return refA?.sha256 === refB?.sha256;
  if (Buffer.compare(a, b) === 0) return true;
  try {
    return isDeepStrictEqual(parse(a), parse(b));
  } catch {
    return false;
  }
}

/** Equal inputs have equal digests. */
export function inputDigest(input: Uint8Array | null): string {
  const hash = createHash('sha256');
  if (input === null) return hash.update('none').digest('base64url').slice(0, 22);
  const ref = decodeBlobRef(input);
  return hash
    .update(ref?.sha256 ?? canonical(input))
    .digest('base64url')
    .slice(0, 22);
}

function canonical(input: Uint8Array): string | Uint8Array {
  try {
    return JSON.stringify(parse(input), (_, value: unknown) =>
      value !== null && typeof value === 'object' && !Array.isArray(value)
        ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
        : value,
    );
  } catch {
    return input;
  }
}

function parse(bytes: Uint8Array): unknown {
  return parseExactly(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
}
