import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page, QueueDepth, RunView, Submitted, WorkerView } from '@signalbox/protocol';
import { createMemoryStore } from '@signalbox/store/memory';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectInProcess } from '../gateway/in-process.ts';
import { defineJob, submitRuns } from '../operations/index.ts';
import { caller } from '../operations/testing/small-node.ts';
import { startNodeOn } from '../start-node.ts';
import { type Answer, ApiWorld, type Ask, ROOT_KEY } from './testing/api-world.ts';

let folder: string;
let world: ApiWorld;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signalbox-times-'));
  world = await ApiWorld.start({ store: `file:${join(folder, 'node.db')}` });
});
afterAll(async () => {
  await world.stop();
  await rm(folder, { recursive: true });
});

/** The quickest of a few: other tests share the machine. */
async function timed(path: string, ask: Ask = {}): Promise<{ answer: Answer; ms: number }> {
  let ms = Number.POSITIVE_INFINITY;
  let answer: Answer | undefined;
  for (let count = 0; count < 8; count++) {
    const startedAt = performance.now();
    answer = await world.ask(path, ask);
    ms = Math.min(ms, performance.now() - startedAt);
    expect(answer.status).toBe(200);
  }
  return { answer: answer as Answer, ms };
}

async function attach(name: string): Promise<void> {
  const total = { cpuMilli: 8_000, memoryMb: 8_000, gpu: 0, diskMb: 8_000, slots: 4 };
  const foreignUse = { cpuMilli: 0, memoryMb: 0, gpu: 0, diskMb: 0, slots: 0 };
  const welcomed = Promise.withResolvers<void>();
  const link = await connectInProcess(world.node.gateway).connect({
    received: (frames) => {
      for (const frame of frames) {
        if (frame.kind === 'welcome') welcomed.resolve();
        if (frame.kind === 'assign') link.send([{ kind: 'accept', refs: [frame.ref] }]);
      }
    },
    closed: () => {},
  });
  const hello = { protocol: 1, worker: name, instance: 'i', zone: 'z', labels: {} } as const;
  const executors = ['handler:held'];
  link.send([{ kind: 'hello', ...hello, executors, total, foreignUse, holds: [] }]);
  await welcomed.promise;
}

describe('over HTTP, on a file', () => {
  it('API-03 a run with all of 1,000 tasks takes less than 100 ms', async () => {
    const tasks = Array.from({ length: 1_000 }, (_, i) => ({
      name: `t${i}`,
      handler: 'nobody',
      after: i === 0 ? [] : [`t${Math.floor((i - 1) / 2)}`],
    }));
    await world.ask('/jobs/tree', { method: 'PUT', body: { tasks }, tenant: 'acme' });
    const submitted = await world.ask('/runs', { body: { job: 'tree' }, tenant: 'acme' });
    const { id } = submitted.json<Submitted>();
    const { answer, ms } = await timed(`/runs/${id}`, { tenant: 'acme' });
    const shown = answer.json<RunView>().tasks.map(({ name, state }) => `${name} ${state}`);
    expect(shown).toEqual(tasks.map(({ name }, i) => `${name} ${i === 0 ? 'QUEUED' : 'PENDING'}`));
    expect(ms).toBeLessThan(100);
  });

  it('API-04 the state and the capacity of 500 workers take less than 200 ms', async () => {
    for (let i = 0; i < 500; i++) await attach(`w${i}`);
    await world.ask('/jobs/held', { method: 'PUT', body: {}, tenant: 'acme' });
    const items = Array.from({ length: 300 }, () => ({ job: 'held' }));
    await world.ask('/runs/batch', { body: { items }, tenant: 'acme' });
    await world.node.context.loop.flushed();
    const { answer, ms } = await timed('/workers?limit=1000');
    const workers = answer.json<Page<WorkerView>>().items;
    expect(workers).toHaveLength(500);
    expect(new Set(workers.map(({ status }) => status))).toEqual(new Set(['healthy']));
    const sum = (of: (worker: WorkerView) => number) =>
      workers.reduce((total, worker) => total + of(worker), 0);
    expect(sum(({ total }) => total.slots)).toBe(2_000);
    expect(sum(({ attempts }) => attempts)).toBe(300);
    expect(sum(({ free }) => free.slots)).toBe(1_700);
    expect(ms).toBeLessThan(200);
  });

  it('API-06 the depth of every queue takes less than 50 ms and equals a recount of all runs', async () => {
    const tenants = ['one', 'two', 'three'];
    for (const [i, tenant] of tenants.entries()) {
      await world.ask('/jobs/waits', { method: 'PUT', body: {}, tenant });
      for (const [j, priority] of (['P0', 'P1', 'P2'] as const).entries()) {
        const items = Array.from({ length: 100 * (i + 1) + 10 * j }, () => ({
          job: 'waits',
          priority,
        }));
        await world.ask('/runs/batch', { body: { items }, tenant });
      }
      const some = await world.ask('/runs?priority=P2&limit=7', { tenant });
      for (const { id } of some.json<Page<RunView>>().items) {
        await world.ask(`/runs/${id}/cancel`, { method: 'POST', body: {}, tenant });
      }
    }
    const { answer, ms } = await timed('/queues', { tenant: '*' });
    const shown = answer.json<{ items: QueueDepth[] }>().items;
    for (const tenant of tenants) {
      for (const priority of ['P0', 'P1', 'P2']) {
        const counted = await countRuns(tenant, priority);
        expect(counted).toBeGreaterThan(90);
        const depth = shown.find((item) => item.tenant === tenant && item.priority === priority);
        expect(depth).toEqual({ tenant, priority, queued: counted, running: 0 });
      }
    }
    expect(ms).toBeLessThan(50);
  });
});

/** Live runs, as their list shows them. */
async function countRuns(tenant: string, priority: string): Promise<number> {
  const all = await world.ask(`/runs?priority=${priority}&limit=1000`, { tenant });
  const { items, next } = all.json<Page<RunView>>();
  expect(next).toBeUndefined();
  return items.filter(({ state }) => state === 'PENDING').length;
}

describe('the history of a job', () => {
  it('API-07 of 30 days is walked with cursors, less than a second for each page', async () => {
    const DAY_MS = 86_400_000;
    let now = Date.now() - 30 * DAY_MS;
    const store = createMemoryStore({ now: () => now });
    const log = pino({ level: 'silent' });
    const options = { store: 'memory:', rootKey: ROOT_KEY, partitions: 2, log, onFatal: () => {} };
    const ids: string[] = [];
    for (let day = 0; day < 30; day++, now += DAY_MS) {
      const node = await startNodeOn(store, { ...options, http: false });
      await node.ready();
      for (const name of day === 0 ? ['daily', 'other'] : []) {
        await defineJob(node.context, caller(), { name, definition: {} });
      }
      const of = { items: Array.from({ length: 50 }, () => ({ job: 'daily' })) };
      const submitted = await submitRuns(node.context, caller(), of);
      ids.push(...submitted.map((each) => (each as Submitted).id));
      await submitRuns(node.context, caller(), { items: [{ job: 'other' }] });
      await node.stop();
    }
    const node = await startNodeOn(store, { ...options, http: { host: '127.0.0.1', port: 0 } });
    await node.ready();
    const headers = { authorization: `Bearer ${ROOT_KEY}`, 'signalbox-tenant': 'acme' };
    const found: RunView[] = [];
    let slowest = 0;
    for (let cursor: string | undefined; found.length === 0 || cursor !== undefined; ) {
      const query = `job=daily&limit=200${cursor === undefined ? '' : `&cursor=${cursor}`}`;
      const startedAt = performance.now();
      const response = await fetch(`${node.url}/api/v1/runs?${query}`, { headers });
      const page = (await response.json()) as Page<RunView>;
      slowest = Math.max(slowest, performance.now() - startedAt);
      found.push(...page.items);
      cursor = page.next;
    }
    await node.stop();
    expect(found.map(({ id }) => id)).toEqual(ids.toReversed());
    const times = found.map(({ submittedAt }) => Date.parse(submittedAt));
    expect((times[0] as number) - (times.at(-1) as number)).toBeGreaterThanOrEqual(29 * DAY_MS);
    expect(slowest).toBeLessThan(1_000);
  }, 60_000);
});
