import { type FollowedEnd, inboxId, partitionOf, type RunHead } from '@signalbox/engine';
import type { InboxEntry } from '@signalbox/store';
import { runKey } from '../names.ts';
import type { World } from './world.ts';

/** Runs that follow from each other are counted, and end here. */
export const FOLLOW_DEPTH_MAX = 2;

/** The job whose ends are followed, and the job that they start; in some seeds it is the same. */
export function followed(jobs: readonly { readonly name: string }[]): {
  readonly from: string;
  readonly to: string;
} {
  return { from: jobs[0]?.name ?? '', to: jobs.at(-1)?.name ?? '' };
}

/** How deep a run is in a chain of runs that started each other; 0 for one that somebody submitted. */
export function depthOf(head: RunHead): number {
  return head.event?.depth ?? 0;
}

/** As a node's triggers do it: what follows from an end goes into the inbox with it, under a key. */
export function follow(world: World, { run, fact }: FollowedEnd): InboxEntry[] {
  const { from, to } = followed(world.catalogue.jobs);
  const depth = depthOf(run.head) + 1;
  if (run.spec.job !== from || depth > FOLLOW_DEPTH_MAX) return [];
  const { tenant, seq, ms, state } = fact;
  const partition = partitionOf(tenant, to, world.options.partitions);
  const id = runKey(fact);
  const head: RunHead = {
    trigger: { kind: 'event', of: 'then' },
    event: { source: 'signalbox', id, type: `run.${state.toLowerCase()}`, depth },
  };
  return [
    {
      id: inboxId({ ms, partition, randomHigh: fact.partition, randomLow: seq }),
      partition,
      tenant,
      job: to,
      class: run.class,
      head: JSON.stringify(head),
      input: null,
      key: `event/then/${id}`,
      atMs: world.disk.nowMs,
    },
  ];
}
