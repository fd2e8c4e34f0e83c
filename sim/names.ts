import {
  type AttemptRef,
  formatIdBytes,
  parseIdBytes,
  type RunHead,
  type RunId,
  readRunId,
} from '@signalbox/engine';
import { decodeBlobRef, looksLikeBlobRef } from '@signalbox/protocol';
import type { StoredRun } from '@signalbox/store';

export function runKey(id: { partition: number; seq: number }): string {
  return `${id.partition}.${id.seq}`;
}

export function taskKey(ref: { partition: number; seq: number; task: number }): string {
  return `${ref.partition}.${ref.seq}/${ref.task}`;
}

/** All of a fencing token: two attempts never share it. */
export function attemptKey(ref: AttemptRef): string {
  return `${ref.partition}.${ref.seq}/${ref.task}#${ref.number}@${ref.epoch}.${ref.token}`;
}

export function sameRun(a: RunId, b: RunId): boolean {
  return a.partition === b.partition && a.seq === b.seq && a.ms === b.ms;
}

const encoder = new TextEncoder();
const REFERENCE = encoder.encode('\u0000signalbox-blob\u0000');
const decoder = new TextDecoder();

/** Names the operation that asked for the run: how a checker tells whose it is. 0 bytes name nothing. */
export function inputOf(op: number, bytes: number): Uint8Array {
  const name = `op ${op}`;
  return bytes === 0 ? new Uint8Array(0) : encoder.encode(name.padEnd(bytes, '.'));
}

/** The same behind what a reference begins with: such an input is kept as a blob, whatever its size. */
export function blobInput(op: number, bytes: number): Uint8Array {
  const input = inputOf(op, bytes);
  input.set(REFERENCE);
  return input;
}

/** How many bytes the run was given, wherever they rest. */
export function givenBytes({ input }: StoredRun['run']): number {
  if (input === null) return 0;
  return decodeBlobRef(input)?.bytes ?? input.length;
}

/** The operation that asked for a run: its input says so, or the trace of a request of one. */
export function opOf({ run }: StoredRun): number {
  const isInline = run.input !== null && !looksLikeBlobRef(run.input);
  const input = isInline ? decoder.decode(run.input?.subarray(0, 24)) : '';
  const text = input === '' ? ((JSON.parse(run.head || '{}') as RunHead).trace ?? '') : input;
  const found = /^op (\d+)\.*/.exec(text);
  return found === null ? Number.NaN : Number(found[1]);
}

/** The inbox entry that an alias was made for, and which of its submissions it names. */
export function readAlias(alias: string): { entry: string; position: number } {
  const bytes = parseIdBytes(alias);
  const { ms } = readRunId(bytes);
  // Made of a key, it says in place of a time which of its request it is.
  if (ms >= 1_000) return { entry: alias, position: 0 };
  return { entry: formatIdBytes(bytes.fill(0, 0, 6)), position: ms };
}
