import { type ClientRequest, get } from 'node:http';
import type { Client } from './client.ts';
import { Processes } from './processes.ts';

const WATCHERS = 1_000;
const ROUNDS = 3;
const ROUND_MS = 4_000;
const BATCH = 100;
const IN_FLIGHT = 8;

/**
 * What a thousand people who each follow a run of theirs cost everybody else: rounds with and
 * without them in turn, because only the ratio means something on a shared machine.
 */
export async function measureWatchers(): Promise<Record<string, number>> {
  const processes = new Processes();
  try {
    const store = `file:${processes.folder}/signalbox.sqlite`;
    const { url, client } = await processes.startFleet(store, 'nothing');
    const items = Array.from({ length: WATCHERS }, () => ({ job: 'nothing', delay: 3_600_000 }));
    const watched = await client.call<{ items: { id: string }[] }>('POST', '/runs/batch', {
      items,
    });
    await rate(client);
    const without: number[] = [];
    const withThem: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      without.push(await rate(client));
      const open = await Promise.all(watched.items.map(({ id }) => follow(url, id, processes.key)));
      withThem.push(await rate(client));
      for (const request of open) request.destroy();
    }
    await client.close();
    return {
      submissionsPerSecondUnwatched: median(without),
      submissionsPerSecond1000Watchers: median(withThem),
      watchersRatio: Math.round((median(withThem) / median(without)) * 100) / 100,
    };
  } finally {
    await processes.stop();
  }
}

async function rate(client: Client): Promise<number> {
  const items = Array.from({ length: BATCH }, (_, n) => ({ job: 'nothing', input: { n } }));
  const startedAt = performance.now();
  let submitted = 0;
  const sender = async (): Promise<void> => {
    while (performance.now() - startedAt < ROUND_MS) {
      await client.call('POST', '/runs/batch', { items });
      submitted += BATCH;
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, sender));
  return Math.round((submitted / (performance.now() - startedAt)) * 1_000);
}

/** Resolves with the first bytes: from then on the node keeps it. */
function follow(url: string, id: string, key: string): Promise<ClientRequest> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}` };
    const request = get(`${url}/api/v1/runs/${id}/events`, { headers, agent: false });
    request.on('response', (answer) => {
      answer.resume();
      if (answer.statusCode === 200) resolve(request);
      else reject(new Error(`events: ${answer.statusCode}`));
    });
    request.on('error', (error) => {
      if (!request.destroyed) reject(error);
    });
  });
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
