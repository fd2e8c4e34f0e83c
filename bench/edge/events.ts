import { percentile } from './client.ts';
import { Processes } from './processes.ts';

const SECONDS = 8;
const SENDERS = 32;
const BATCH = 100;
const TRIGGERS = 10;

/**
 * Events over HTTP until their runs are durable: ten triggers, one of which wants the event by a filter
 * and maps its data; every tenth event was delivered before. As one event per request, then in batches.
 */
export async function measureEvents(): Promise<Record<string, number>> {
  const processes = new Processes();
  try {
    const store = `file:${processes.folder}/signalbox.sqlite`;
    const { client } = await processes.startFleet(store, 'nothing');
    for (let i = 0; i < TRIGGERS; i++) {
      await client.call('PUT', `/triggers/t${i}`, {
        job: 'nothing',
        source: '/shop',
        type: 'order.*',
        filter: `event.data.kind == ${i} && event.data.total > 10`,
        input: { order: '${event.data.order}', twice: '${event.data.total * 2}' },
      });
    }
    let sent = 0;
    const event = () => {
      sent++;
      const id = sent % 10 === 0 ? sent - 1 : sent;
      const data = { kind: id % TRIGGERS, total: 20, order: id };
      return { specversion: '1.0', id: `e${id}`, source: '/shop', type: 'order.paid', data };
    };
    const measure = async (size: number) => {
      const took: number[] = [];
      const began = performance.now();
      const until = began + SECONDS * 1_000;
      await Promise.all(
        Array.from({ length: SENDERS }, async () => {
          while (performance.now() < until) {
            const at = performance.now();
            const events = Array.from({ length: size }, event);
            const type = `application/cloudevents${size > 1 ? '-batch' : ''}+json`;
            await client.call('POST', '/events', size > 1 ? events : events[0], type);
            took.push(performance.now() - at);
          }
        }),
      );
      const perSecond = (took.length * size) / ((performance.now() - began) / 1_000);
      took.sort((a, b) => a - b);
      return { perSecond: Math.round(perSecond), p99: percentile(took, 0.99) };
    };
    const single = await measure(1);
    const batches = await measure(BATCH);
    await client.close();
    return {
      eventsPerSecond: single.perSecond,
      eventP99Ms: single.p99,
      eventsPerSecondBatched: batches.perSecond,
      eventBatchP99Ms: batches.p99,
    };
  } finally {
    await processes.stop();
  }
}
