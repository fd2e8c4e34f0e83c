import { percentile } from './client.ts';
import { Processes } from './processes.ts';

const RATE = 1_000;
const SECONDS = 15;
const WARM_UP_SECONDS = 3;
const TICK_MS = 5;

/**
 * Half submissions, half status of recent runs, sent at a fixed rate whatever the answers do: a
 * slow server gets no mercy from a client that waits for it.
 */
export async function measureApi(): Promise<Record<string, number>> {
  const processes = new Processes();
  try {
    const store = `file:${processes.folder}/signalbox.sqlite`;
    const { client } = await processes.startFleet(store, 'nothing');
    const recent: string[] = [];
    const submits: number[] = [];
    const reads: number[] = [];
    const open = new Set<Promise<void>>();
    const startedAt = performance.now();
    let errors = 0;
    let sent = 0;
    const send = (into: number[], work: () => Promise<void>): void => {
      const at = performance.now();
      const call = work().then(
        () => {
          if (at - startedAt > WARM_UP_SECONDS * 1_000) into.push(performance.now() - at);
        },
        () => {
          errors++;
        },
      );
      open.add(call);
      void call.finally(() => open.delete(call));
    };
    while (performance.now() - startedAt < (SECONDS + WARM_UP_SECONDS) * 1_000) {
      const due = Math.floor(((performance.now() - startedAt) / 1_000) * RATE);
      for (; sent < due; sent++) {
        const id = recent[sent % Math.max(1, recent.length)];
        if (sent % 2 === 0 || id === undefined) {
          send(submits, async () => {
            const body = { job: 'nothing', input: { n: sent } };
            recent[sent % 1_000] = (await client.call<{ id: string }>('POST', '/runs', body)).id;
          });
        } else send(reads, async () => void (await client.call('GET', `/runs/${id}`)));
      }
      await new Promise((resolve) => setTimeout(resolve, TICK_MS));
    }
    await Promise.all(open);
    await client.close();
    for (const list of [submits, reads]) list.sort((a, b) => a - b);
    return {
      apiRequestsPerSecond: Math.round((submits.length + reads.length) / SECONDS),
      apiErrors: errors,
      apiSubmitP50Ms: percentile(submits, 0.5),
      apiSubmitP99Ms: percentile(submits, 0.99),
      apiStatusP50Ms: percentile(reads, 0.5),
      apiStatusP99Ms: percentile(reads, 0.99),
    };
  } finally {
    await processes.stop();
  }
}
