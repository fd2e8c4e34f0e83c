import type { SentEvent } from '../loop/index.ts';
import type { Event } from './event.ts';

/** An event as runs hear it. Source and id name it, however often it is delivered. */
export function sentEvent(event: Event, identity = event.id): SentEvent {
  const { source, type } = event;
  const key = JSON.stringify([source, identity]);
  return { type, key, event: new TextEncoder().encode(JSON.stringify(event)) };
}
