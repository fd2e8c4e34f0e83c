import { heardTypes } from '@signalbox/engine';
import type { JobDefinition } from '@signalbox/protocol';
import type { Caller, NodeContext } from '../../context/index.ts';
import { type StoredSubscription, SUBSCRIPTION_KIND } from '../../triggers/subscription-index.ts';
import { bodyOf, changeNamed } from '../definitions/named-definitions.ts';

/**
 * Stores the event types that a job waits for, for all nodes, before runs of the version can exist. Types of
 * older versions stay, because their runs may still be open.
 */
export async function saveSubscriptions(
  context: NodeContext,
  caller: Caller,
  { name, definition }: { name: string; definition: JobDefinition },
): Promise<void> {
  const types = heardTypes(engineForm(definition));
  if (types.length === 0) return;
  const { now } = await changeNamed<StoredSubscription>(context, caller, {
    kind: SUBSCRIPTION_KIND,
    name,
    next: (current) => {
      const before = current === null ? [] : bodyOf<StoredSubscription>(current).types;
      const after = [...new Set([...before, ...types])];
      return after.length === before.length ? null : { types: after };
    },
  });
  context.triggers.subscriptions.adopt(now);
}

/** The part of the definition that the engine reads, with the engine's names. */
function engineForm({ eventTypes, tasks = [] }: JobDefinition): Parameters<typeof heardTypes>[0] {
  const waits = tasks.flatMap(({ event }) =>
    event === undefined ? [] : [{ event: { type: event.type } }],
  );
  return { tasks: waits, ...(eventTypes === undefined ? {} : { hears: eventTypes }) };
}
