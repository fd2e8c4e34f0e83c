import type { Submitted } from '@signalbox/protocol';
import type { Caller, NodeContext } from '../context.ts';
import { type KeyedBatch, underKey } from './batch-key.ts';
import { decideBatch, type Submit } from './decide-batch.ts';
import { mayBeDone, otherBatch } from './refusals.ts';
import { takenBefore } from './taken-before.ts';

/**
 * Submits a batch under the key of its request. Most are of one partition and take one commit, as if
 * they had no key. One of several takes a further one: the first partition says whether the key is
 * free, or held by the same content, before anything is made in another.
 */
export async function submitUnderKey(
  context: NodeContext,
  caller: Caller,
  { bare, key }: { bare: readonly Submit[]; key: string },
): Promise<Submitted[]> {
  const batch = underKey(bare, key);
  const { commands, first, rest } = batch;
  if (batch.isMixed) await refuseOtherContent(context, caller, batch);
  const pick = (indexes: readonly number[]) => indexes.map((i) => commands[i] as Submit);
  const strict = !batch.isMixed;
  if (rest.length === 0) return decideBatch(context, caller, { commands, strict });
  const before = await decideBatch(context, caller, { commands: pick(first), strict });
  try {
    const after = await decideBatch(context, caller, { commands: pick(rest), strict });
    const submitted: Submitted[] = [];
    for (const [at, i] of first.entries()) submitted[i] = before[at] as Submitted;
    for (const [at, i] of rest.entries()) submitted[i] = after[at] as Submitted;
    return submitted;
  } catch (error) {
    throw mayBeDone(error);
  }
}

/** In a mixed batch no run is sure to be made under the request's key: whether one was is asked for. */
async function refuseOtherContent(
  context: NodeContext,
  { tenant }: Caller,
  { anchorKey, digest }: KeyedBatch,
): Promise<void> {
  const [holder] = await context.store.readKeys([{ tenant, key: anchorKey }]);
  if (holder === undefined) return;
  const [taken] = await takenBefore(context, tenant, [holder.run]);
  if (taken && taken.head.digest !== digest) throw otherBatch();
}
