/*
 * Room: submission of batches, with or without a key of the request (`Idempotency-Key`).
 *
 *   submitRuns ──► underKey ──► decideBatch(first part) ──► decideBatch(rest) ──► response
 *      (runs)     derives keys       │
 *                                    ▼ per submission
 *            accepted          ► created
 *            duplicate         ► existing run: same content ► returned; other content ► idempotency_conflict
 *            not_owner         ► inbox entry for the owner of the partition (put-inbox.ts), returned as an alias
 *            key_reserved      ► the inbox entry that reserved the key, or the run that it has become
 *            any other refusal ► error
 *
 * Called by `operations/runs/submit-runs.ts`; `put-inbox.ts` also by `operations/triggers/start-runs.ts`.
 * Atomic: the submissions of one partition that this node owns are decided in one step. For another owner, a request
 * key puts them into one inbox entry; otherwise each has an entry of its own. A batch as a whole is not atomic.
 * Can fail: an error after a part was created becomes `unknown`, so that the client repeats the request with its key.
 * Any other error is returned as it is; if that is `unknown` (the store did not reply), parts may exist as well.
 */
import { oneByOne, type Submitted, type SubmittedInARow } from '@signalbox/protocol';
import type { Caller, NodeContext } from '../../context/index.ts';
import { mayBeDone, otherBatch } from '../../errors/refusals.ts';
import { underKey } from './batch-key.ts';
import { decideBatch, type Submit } from './decide-batch.ts';

/**
 * Submits a batch under the key of its request. Most batches belong to one partition and need one commit, as without
 * a key. A batch of several partitions, or with keys or unique values of its own, needs two: the first part shows
 * whether the key is free, or belongs to the same content, before the rest is created.
 */
export async function submitUnderKey(
  context: NodeContext,
  caller: Caller,
  { submits, key }: { submits: readonly Submit[]; key: string },
): Promise<SubmittedInARow[]> {
  const batch = underKey(submits, key);
  const { commands, first, rest } = batch;
  if (batch.unanchored !== null) await refuseHeld(context, caller, batch.unanchored);
  const pick = (indexes: readonly number[]) => indexes.map((i) => commands[i] as Submit);
  const strict = !batch.isMixed;
  const onConflict = 'report';
  if (rest.length === 0) return decideBatch(context, caller, { commands, strict, onConflict });
  const before = await decideBatch(context, caller, { commands: pick(first), strict, onConflict });
  try {
    const after = await decideBatch(context, caller, { commands: pick(rest), strict, onConflict });
    return inOrder([first, oneByOne(before)], [rest, oneByOne(after)]);
  } catch (error) {
    // The first part of a repeated request creates nothing.
    const isCreated = before.some(({ created, pending }) => created || pending === true);
    throw isCreated ? mayBeDone(error) : error;
  }
}

/** Joins the parts of a batch, each with its positions in the batch. */
function inOrder(...parts: [readonly number[], readonly Submitted[]][]): SubmittedInARow[] {
  const all: SubmittedInARow[] = [];
  for (const [places, submitted] of parts) {
    for (const [at, i] of places.entries()) all[i] = { ...(submitted[at] as Submitted), count: 1 };
  }
  return all;
}

/** No submission of this batch carries the request's key, so a holder of that key has other content. */
async function refuseHeld({ store }: NodeContext, { tenant }: Caller, key: string): Promise<void> {
  const [holder] = await store.readKeys([{ tenant, key }]);
  if (holder !== undefined) throw otherBatch();
}
