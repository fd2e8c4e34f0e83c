import { type Answer, type Effect, isToWorker } from '@signalbox/engine';
import { type Group, partitionAndSeq } from './group.ts';
import type { Leases } from './leases.ts';
import { refused } from './refused.ts';
import type { Reply } from './reply.ts';

/** Whether an effect of a durable group may still be carried out. */
export function isVouched(effect: Effect, group: Group, leases: Leases): boolean {
  const ref = partitionAndSeq(effect);
  if (ref === null) return true;
  // A commit proves ownership of its partitions; for others the lease must vouch to a worker. What the
  // node does itself does no harm where another does it too, and nobody would ask for it again.
  return group.facts.has(ref.partition) || !isToWorker(effect)
    ? leases.held.has(ref.partition)
    : leases.isTrusted(ref.partition);
}

/** Acceptance is only told of partitions that were in the commit, or are still ours. */
export function truthful(
  { partition, answers }: Reply,
  group: Group,
  owns: (partition: number) => boolean,
): readonly Answer[] {
  const vouched = partition === null || group.facts.has(partition) || owns(partition);
  if (vouched) return answers;
  return answers.map((answer) => (answer.kind === 'refused' ? answer : refused('unknown')));
}
