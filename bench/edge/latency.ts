import { startPostgres } from '../../tools/postgres.ts';
import { percentile } from './client.ts';
import { Processes } from './processes.ts';

const SAMPLES = 400;
const WARM_UP = 100;
const PAUSE_MS = 15;

/** From the call of submit to the first line of the handler, on an idle system, worker in its own process. */
export async function measureLatency(on: 'sqlite' | 'postgres'): Promise<Record<string, number>> {
  const processes = new Processes();
  const server = on === 'postgres' ? await startPostgres() : null;
  try {
    const store = server?.url ?? `file:${processes.folder}/signalbox.sqlite`;
    const { client } = await processes.startFleet(store, 'began');
    const delays: number[] = [];
    for (let i = 0; i < SAMPLES + WARM_UP; i++) {
      const sentAt = performance.timeOrigin + performance.now();
      const { id } = await client.call<{ id: string }>('POST', '/runs', { job: 'began' });
      const run = await client.call<{ output: number }>('GET', `/runs/${id}?wait=10000`);
      if (i >= WARM_UP) delays.push(run.output - sentAt);
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
    delays.sort((a, b) => a - b);
    await client.close();
    const name = on === 'sqlite' ? 'Sqlite' : 'Postgres';
    return {
      [`submitToStartP50Ms${name}`]: percentile(delays, 0.5),
      [`submitToStartP99Ms${name}`]: percentile(delays, 0.99),
    };
  } finally {
    await processes.stop();
    await server?.stop();
  }
}
