import { oneByOne, type Submitted, type SubmittedInARow } from '@signalbox/protocol';
import type { Caller } from '../../auth/caller.ts';
import type { NodeContext } from '../../context/node-context.ts';
import { mayBeDone, otherBatch } from '../../errors/refusals.ts';
import { underKey } from './batch-key.ts';
import { decideBatch, type Submit } from './decide-batch.ts';

/**
 * Submits a batch under the key of its request. Most are of one partition and take one commit, as if
 * they had no key. One of several, or with keys and unique values among it, takes a further one: the
 * first part says whether the key is free, or held by the same content, before anything else is made.
 */
export async function submitUnderKey(
  context: NodeContext,
  caller: Caller,
  { bare, key }: { bare: readonly Submit[]; key: string },
): Promise<SubmittedInARow[]> {
  const batch = underKey(bare, key);
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
    // A request that is repeated makes nothing in its first part.
    const isMade = before.some(({ created, pending }) => created || pending === true);
    throw isMade ? mayBeDone(error) : error;
  }
}

/** Parts of a batch, each with its places in it. */
function inOrder(...parts: [readonly number[], readonly Submitted[]][]): SubmittedInARow[] {
  const all: SubmittedInARow[] = [];
  for (const [places, submitted] of parts) {
    for (const [at, i] of places.entries()) all[i] = { ...(submitted[at] as Submitted), count: 1 };
  }
  return all;
}

/** Nothing of this batch takes the request's key: whatever has it is of another content. */
async function refuseHeld({ store }: NodeContext, { tenant }: Caller, key: string): Promise<void> {
  const [holder] = await store.readKeys([{ tenant, key }]);
  if (holder !== undefined) throw otherBatch();
}
