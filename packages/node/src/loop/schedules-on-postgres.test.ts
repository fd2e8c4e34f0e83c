import { Engine, type RunHead } from '@signalbox/engine';
import { createPostgresStore } from '@signalbox/store/postgres';
import { expect, it } from 'vitest';
import { createDatabase, describePostgres } from '../../../../tools/testing/postgres.ts';
import { realPorts } from '../real-ports.ts';
import { CommitLoop } from './index.ts';

const SECOND = 1_000;

/** A node's loop, with a connection of its own; tells of every window that became durable. */
async function startLoop(url: string, name: string, fired: (window: number) => void) {
  const store = await createPostgresStore({ url });
  await store.migrate();
  const loop = new CommitLoop({
    engine: new Engine(),
    store,
    ports: realPorts({
      release: () => {},
      published: (_partition, facts) => {
        for (const fact of facts) if (fact.kind === 'windowFired') fired(fact.window);
      },
    }),
    settings: { partitions: 2, leaseMs: 2_000, beatMs: 500, trustMarginMs: 500 },
    node: { name, address: '' },
    onFatal: (error) => {
      throw error;
    },
  });
  await loop.start();
  return { loop, store };
}

describePostgres('schedules on PostgreSQL', () => {
  it('TRG-12 U033 two nodes, one dies: the other goes on, every second once, in real time', async () => {
    const url = await createDatabase();
    const windows: number[] = [];
    let reached: () => void = () => {};
    const fired = (window: number): void => {
      windows.push(window);
      reached();
    };
    const until = async (count: number): Promise<void> => {
      while (windows.length < count) {
        await new Promise<void>((resolve) => {
          reached = resolve;
        });
      }
    };
    const first = await startLoop(url, 'first', fired);
    const { store } = first;
    const of = { tenant: 'acme', author: 'ann', expectedVersion: 0 };
    await store.putDefinition({ ...of, kind: 'job', name: 'job', body: '{}' });
    const when = { kind: 'interval', everyMs: SECOND, anchorAt: 0 };
    const body = JSON.stringify({ job: 'job', when, catchUp: { windowsMax: 100 } });
    await store.putDefinition({ ...of, kind: 'schedule', name: 'beat', body });
    await until(3);
    const second = await startLoop(url, 'second', fired);
    first.loop.halt();
    await until(10);
    await second.loop.stop();
    const rows = await second.store.listRuns({ tenant: 'acme', before: null, limit: 100 });
    const stored = rows.map(({ run }) => (JSON.parse(run.head) as RunHead).window?.at ?? 0);
    stored.sort((a, b) => a - b);
    expect(stored.length).toBeGreaterThanOrEqual(10);
    expect(stored).toEqual(stored.map((_, i) => (stored[0] as number) + i * SECOND));
    await first.store.close();
    await second.store.close();
  }, 60_000);
});
