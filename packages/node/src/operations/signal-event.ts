import type { Answer, Command } from '@signalbox/engine';
import type { NodeContext } from '../context.ts';
import { refusal } from './refusals.ts';

/**
 * Tells every task of the tenant that waits for such an event, on the partitions of this node. Resolves
 * once it is durable; an event that nobody waits for costs one look.
 */
export async function signalEvent(
  { loop }: NodeContext,
  tenant: string,
  event: { readonly type: string },
): Promise<void> {
  const { type } = event;
  const waiting = loop.engine.core.eventWaits.of(tenant, type);
  if (waiting.length === 0) return;
  const bytes = new TextEncoder().encode(JSON.stringify(event));
  const partitions = [...new Set(waiting.map(({ run }) => run.partition))];
  const answers = await loop.executeAll(
    partitions.map(
      (partition): Command => ({ kind: 'event', partition, tenant, type, event: bytes }),
    ),
  );
  const refused = answers.find((answer) => answer.kind === 'refused');
  if (refused !== undefined) throw refusal(refused as Answer & { kind: 'refused' });
}
