import { heardTypes } from '@signalbox/engine';
import type { JobDefinition } from '@signalbox/protocol';
import type { Caller } from '../../auth/caller.ts';
import type { NodeContext } from '../../context/node-context.ts';
import { HEARING_KIND, type StoredHearing } from '../../triggers/hearing-book.ts';
import { bodyOf, changeNamed } from '../definitions/named-definitions.ts';

/**
 * Says which events a job waits for, to every node, before a version can have runs that do. What an
 * older version waits for stays, because runs of it may live.
 */
export async function saveHearing(
  context: NodeContext,
  caller: Caller,
  { name, definition }: { name: string; definition: JobDefinition },
): Promise<void> {
  const types = heardTypes(heardBy(definition));
  if (types.length === 0) return;
  const { now } = await changeNamed<StoredHearing>(context, caller, {
    kind: HEARING_KIND,
    name,
    next: (current) => {
      const before = current === null ? [] : bodyOf<StoredHearing>(current).types;
      const after = [...new Set([...before, ...types])];
      return after.length === before.length ? null : { types: after };
    },
  });
  context.triggers.hearing.adopt(now);
}

/** What the engine reads of it, in the engine's words. */
function heardBy({ eventTypes, tasks = [] }: JobDefinition): Parameters<typeof heardTypes>[0] {
  const waits = tasks.flatMap(({ event }) =>
    event === undefined ? [] : [{ event: { type: event.type } }],
  );
  return { tasks: waits, ...(eventTypes === undefined ? {} : { hears: eventTypes }) };
}
