import { createMemoryStore } from '@signalbox/store/memory';
import { pino } from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import { checkReadiness } from './api/readiness.ts';
import { defineJob, getRun, submitRuns } from './operations/index.ts';
import { caller } from './operations/testing/small-node.ts';
import { type RunningNode, startNodeOn } from './start-node.ts';

const OPTIONS = {
  store: 'memory:',
  http: false,
  partitions: 1,
  log: pino({ level: 'silent' }),
  loop: { leaseMs: 1_000, beatMs: 100, trustMarginMs: 200 },
} as const;

it('API-15 nodes without partitions are ready once other nodes own all of them, and serve', async () => {
  const store = createMemoryStore({ now: Date.now });
  const nodes = await Promise.all([1, 2, 3].map(() => startNodeOn(store, OPTIONS)));
  onTestFinished(async () => {
    for (const node of nodes) await node.stop();
  });
  await Promise.all(nodes.map((node) => node.ready()));
  const idle = nodes.filter(({ context }) => context.loop.leases.held.size === 0);
  expect(idle).toHaveLength(2);
  for (const { context } of idle) {
    expect(await checkReadiness(context)).toMatchObject({
      status: 'ok',
      checks: { partitions: { ok: true, detail: 'other nodes own all 1 partitions' } },
    });
    await defineJob(context, caller(), { name: 'mail', definition: {} });
    const [run] = await submitRuns(context, caller(), { items: [{ job: 'mail' }] });
    const read = await getRun(context, caller(), { id: run?.id ?? '' });
    expect(read.job).toBe('mail');
  }
  const [first] = idle as [RunningNode];
  await first.stop();
  expect((await checkReadiness(first.context)).status).toBe('down');
}, 30_000);

it('API-15 a new node without partitions is not ready until a dead owner would be noticed', async () => {
  const store = createMemoryStore({ now: Date.now });
  const { leaseMs } = OPTIONS.loop;
  // The lease of a killed process.
  await store.acquireLease({ partition: 0, owner: 'dead', ttlMs: leaseMs, commitId: 'dead' });
  const node = await startNodeOn(store, OPTIONS);
  onTestFinished(() => node.stop());
  expect((await checkReadiness(node.context)).checks['partitions']?.ok).toBe(false);
  await node.ready();
  expect(node.context.loop.owns(0)).toBe(true);
}, 30_000);
