import type { ReceivedEvent } from '@signalbox/protocol';
import type { Event } from './event.ts';

/**
 * Where events come from. HTTP is the first; a queue or a stream is another. A source delivers at least
 * once: it goes on (acknowledges, moves its offset) only after `receive` has resolved, and delivers
 * again after an error. Doubles do no harm, because an event makes one run for each trigger.
 */
export interface EventSource {
  /** For logs and metrics: `http`, `kafka`. */
  readonly kind: string;
  start(receive: ReceiveEvents): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Takes events of a tenant. Resolves when every run that they start is durable, in the order of the
 * events; rejects where the same events are to be delivered again.
 */
export type ReceiveEvents = (
  tenant: string,
  events: readonly Event[],
) => Promise<readonly ReceivedEvent[]>;
