import { type FollowedEnd, inboxId, partitionOf, type RunHead } from '@signalbox/engine';
import type { InboxEntry } from '@signalbox/store';
import { runKey } from '../names.ts';
import type { World } from './world.ts';

/** Runs that follow from each other are counted, and end here. */
const DEPTH_MAX = 2;
/** One run in so many is followed: more would be a backlog that never ends. */
const ONE_IN = 3;

/** Whether the end of a run starts another: some runs of the first job, and some that they started. */
export function isFollowed(
  firstJob: string | undefined,
  run: { readonly job: string; readonly seq: number; readonly head: RunHead },
): boolean {
  return run.job === firstJob && run.seq % ONE_IN === 0 && depthOf(run.head) < DEPTH_MAX;
}

function depthOf(head: RunHead): number {
  return head.event?.depth ?? 0;
}

/** The quickest one, which is the first itself in many worlds. */
function startedJob({ jobs }: World['catalogue']): string {
  const [quickest] = [...jobs].sort((a, b) => a.behaviour.ms[1] - b.behaviour.ms[1]);
  return quickest?.name ?? '';
}

/** As a node's triggers do it: what follows from an end goes into the inbox with it, under a key. */
export function follow(world: World, { run, fact }: FollowedEnd): InboxEntry[] {
  const { tenant, seq, ms, state } = fact;
  const { head: before, spec } = run;
  const first = world.catalogue.jobs[0]?.name;
  if (!isFollowed(first, { job: spec.job, seq, head: before })) return [];
  const to = startedJob(world.catalogue);
  const depth = depthOf(before) + 1;
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
      kind: 'submission',
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
