import type { RunId } from '@signalbox/engine';
import type { Checkpoint } from '../contract/checkpoints.ts';
import type { InboxEntry } from '../contract/inbox.ts';
import type { Group } from '../contract/journal.ts';
import type { ParkedRow } from '../contract/parked.ts';
import type { EndRow, RunRow } from '../contract/runs.ts';
import type { Definition } from '../definition.ts';
import type { StoredKey } from '../taken-keys.ts';
import { addBytes, addNumber, addText, START } from './checksum.ts';

/*
 * What the checksum of each kind of row covers: every column but the payload, which has a checksum of its
 * own where rows are also read without it. The same in every store.
 */

export function groupChecksum(group: Group): number {
  if (group.factCount === 0 && group.body.length === 0) return fenceChecksum(group);
  let sum = addNumber(START, group.partition);
  sum = addNumber(sum, group.seq);
  sum = addNumber(sum, group.epoch);
  sum = addNumber(sum, group.atMs);
  sum = addNumber(sum, group.factCount);
  sum = addText(sum, group.commitId);
  return addBytes(sum, group.body);
}

/** The largest prime below 2^31: the remainder fits the column. */
const FENCE_MODULUS = 2_147_483_647;
/** Also in the statement of PostgreSQL that writes a fence. */
export const FENCE = { modulus: FENCE_MODULUS, ofSeq: 65_599, ofEpoch: 31 } as const;

/**
 * A group without facts. PostgreSQL chooses the numbers of a fence in the statement that writes it, so
 * its checksum is computed there as well, from this number and theirs.
 */
export function fenceBase({ partition, commitId }: Pick<Group, 'partition' | 'commitId'>): number {
  return addText(addNumber(START, partition), commitId) >>> 0;
}

function fenceChecksum(group: Group): number {
  const { seq, epoch, atMs } = group;
  const ofSeq = BigInt(seq) * BigInt(FENCE.ofSeq);
  const sum = BigInt(fenceBase(group)) + ofSeq + BigInt(epoch) * BigInt(FENCE.ofEpoch);
  return Number((sum + BigInt(atMs)) % BigInt(FENCE.modulus));
}

export function checkpointChecksum({ partition, epoch, seq, chunks }: Checkpoint): number {
  let sum = addNumber(START, partition);
  sum = addNumber(sum, epoch);
  sum = addNumber(sum, seq);
  sum = addNumber(sum, chunks.length);
  for (const chunk of chunks) sum = addBytes(sum, chunk);
  return sum;
}

/** `keys` as the text that is stored. */
export function runChecksum(run: Omit<RunRow, 'input' | 'keys'>, keys: string): number {
  return addText(addNumber(runCommonChecksum(run), run.inputBytes), keys);
}

/** What the runs of a row block have in common, and the sizes of their inputs, two numbers for each. */
export function runBlockChecksum(
  first: Omit<RunRow, 'input' | 'keys' | 'inputBytes'>,
  sizes: readonly number[],
): number {
  let sum = addNumber(runCommonChecksum(first), sizes.length);
  for (const size of sizes) sum = addNumber(sum, size);
  return sum;
}

/** The inputs of a row block. */
export function inputsChecksum(runs: Iterable<Pick<RunRow, 'input'>>): number {
  let sum = START;
  for (const { input } of runs) sum = addBytes(sum, input);
  return sum;
}

function runCommonChecksum(run: Omit<RunRow, 'input' | 'keys' | 'inputBytes'>): number {
  let sum = addId(START, run.id);
  sum = addText(sum, run.tenant);
  sum = addText(sum, run.job);
  sum = addNumber(sum, run.jobVersion);
  sum = addNumber(sum, run.class);
  return addText(sum, run.head);
}

export function endChecksum(end: Omit<EndRow, 'output'>): number {
  return addText(addNumber(endCommonChecksum(end), end.endedAtMs), end.detail);
}

export function endBlockChecksum(
  first: Pick<EndRow, 'id' | 'tenant' | 'state'>,
  count: number,
): number {
  return addNumber(endCommonChecksum(first), count);
}

/** What the ends of a row block do not have in common. */
export function endsChecksum(
  ends: Iterable<Pick<EndRow, 'endedAtMs' | 'detail' | 'output'>>,
): number {
  let sum = START;
  for (const { endedAtMs, detail, output } of ends) {
    sum = addBytes(addText(addNumber(sum, endedAtMs), detail), output);
  }
  return sum;
}

function endCommonChecksum({ id, tenant, state }: Pick<EndRow, 'id' | 'tenant' | 'state'>): number {
  return addText(addText(addId(START, id), tenant), state);
}

export function inboxChecksum(entry: InboxEntry): number {
  let sum = addText(START, entry.id);
  sum = addNumber(sum, entry.partition);
  sum = addText(sum, entry.kind);
  sum = addText(sum, entry.tenant);
  sum = addText(sum, entry.job);
  sum = addNumber(sum, entry.class);
  sum = addText(sum, entry.head);
  sum = addBytes(sum, entry.input);
  sum = entry.key === null ? addNumber(sum, -1) : addText(sum, entry.key);
  return addNumber(sum, entry.atMs);
}

/** An idempotency key, with the run that has it or the inbox entry that reserves it. */
export function keyChecksum(row: StoredKey & { readonly atMs: number | null }): number {
  let sum = addText(addText(START, row.tenant), row.key);
  sum = addId(sum, row.run);
  if (row.entry !== null) sum = addText(sum, row.entry);
  return row.atMs === null ? sum : addNumber(sum, row.atMs);
}

export function parkedChecksum(partition: number, row: ParkedRow): number {
  let sum = addText(addNumber(START, partition), row.lane);
  sum = addText(addNumber(sum, row.sort), row.tenant);
  return addId(sum, row.id);
}

/**
 * Without the time, which PostgreSQL's clock sets in the statement: the stored value is this one plus
 * the time.
 */
export function definitionChecksum(definition: Omit<Definition, 'atMs'>): number {
  let sum = addText(START, definition.tenant);
  sum = addText(sum, definition.kind);
  sum = addText(sum, definition.name);
  sum = addNumber(sum, definition.version);
  sum = addText(sum, definition.body);
  sum = addText(sum, definition.author);
  return addNumber(sum, definition.deleted ? 1 : 0);
}

function addId(sum: number, { ms, partition, seq }: RunId): number {
  return addNumber(addNumber(addNumber(sum, ms), partition), seq);
}
