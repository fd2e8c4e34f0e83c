import type { RunId } from '@signalbox/engine';
import type { EndRow, RunRow } from '../../contract/runs.ts';

// Decodes the bodies that `bind-row-blocks.ts` writes.

const SIZES_BYTES = 8;
/** A byte order mark is part of the text. */
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** The id `offset` places after `id`; ids in a row block are consecutive. */
export function idAfter({ ms, partition, seq }: RunId, offset: number): RunId {
  return { ms, partition, seq: seq + offset };
}

/** The runs of a row block. A body that was read without inputs ends after the sizes. */
export function readRunBlock(
  common: RunRow,
  { count, body, withInput }: { count: number; body: Uint8Array; withInput: boolean },
): RunRow[] {
  const view = viewOf(body);
  const runs: RunRow[] = [];
  let at = count * SIZES_BYTES;
  for (let i = 0; i < count; i++) {
    const inputBytes = view.getInt32(i * SIZES_BYTES);
    const length = view.getInt32(i * SIZES_BYTES + 4);
    const input = length < 0 || !withInput ? null : body.slice(at, at + length);
    at += Math.max(0, length);
    runs.push({ ...common, id: idAfter(common.id, i), input, inputBytes });
  }
  return runs;
}

/** The sizes at the beginning of a body, two for each run. */
export function readSizes(body: Uint8Array, count: number): number[] {
  const view = viewOf(body);
  const sizes: number[] = [];
  for (let i = 0; i < 2 * count; i++) sizes.push(view.getInt32(4 * i));
  return sizes;
}

export function readEndBlock(
  common: Pick<EndRow, 'id' | 'tenant' | 'state'>,
  { count, body }: { count: number; body: Uint8Array },
): EndRow[] {
  const view = viewOf(body);
  const ends: EndRow[] = [];
  let at = 0;
  const value = (): Uint8Array | null => {
    const length = view.getInt32(at);
    at += 4 + Math.max(0, length);
    return length < 0 ? null : body.subarray(at - length, at);
  };
  for (let i = 0; i < count; i++) {
    const endedAtMs = Number(view.getBigInt64(at + 4));
    at += 12;
    const detail = decoder.decode(value() ?? undefined);
    const output = value()?.slice() ?? null;
    ends.push({ ...common, id: idAfter(common.id, i), endedAtMs, detail, output });
  }
  return ends;
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}
