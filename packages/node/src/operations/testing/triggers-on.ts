import type { TriggerDefinition } from '@signalbox/protocol';
import type { Event } from '../../triggers/event.ts';
import { listRuns, receiveEvents, saveTrigger } from '../index.ts';
import { caller, type SmallNode, turn } from './small-node.ts';

export const PAID = { job: 'mail', source: '/shop', type: 'order.paid' } as const;

export function event(own: Partial<Event> = {}): Event {
  const data = { order: 7, total: 120.5, tags: ['new'] };
  return { specversion: '1.0', id: 'e1', source: '/shop', type: 'order.paid', data, ...own };
}

/** What tests of triggers do with a node: the one of the test unless another is named. */
export function triggersOn(node: () => SmallNode) {
  return {
    save: (definition: Partial<TriggerDefinition> = {}, name = 'paid', on = node()) =>
      saveTrigger(on.context, caller(), { name, definition: { ...PAID, ...definition } }),
    send: (events: Event | Event[] = event(), on = node()) => {
      const list = Array.isArray(events) ? events : [events];
      return receiveEvents(on.context, caller(), { events: list });
    },
    runs: async (on = node(), job?: string) => {
      const page = await listRuns(on.context, caller(), { limit: 100, ...(job ? { job } : {}) });
      return page.items;
    },
  };
}

/** Waits, turn by turn, for what is on its way. */
export async function until<T>(look: () => Promise<T | null>): Promise<T> {
  const giveUpAt = performance.now() + 20_000;
  while (performance.now() < giveUpAt) {
    const found = await look();
    if (found !== null) return found;
    await turn();
  }
  throw new Error('it did not come');
}
