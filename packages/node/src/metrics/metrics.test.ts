import { readFileSync } from 'node:fs';
import type { Store } from '@signalbox/store';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiWorld } from '../api/testing/api-world.ts';
import { connectInProcess } from '../gateway/in-process.ts';
import { SmallNode } from '../operations/testing/small-node.ts';
import { boundedLabel, OTHER } from './bounded-label.ts';
import { DispatchRate } from './dispatch-rate.ts';
import { NodeMetrics } from './node-metrics.ts';

const DOC = new URL('../../../../docs/metrics.md', import.meta.url);
/** The names of OBS-04 and OBS-05, as those rows have them. */
const ROWS = [
  'polling_latency_ms',
  'jobs_dispatched_per_second',
  'dispatch_failures',
  'leadership_changes',
  'lag_seconds',
  'jobs_dispatched_total',
  'dispatch_duration_seconds',
  'pending_jobs',
  'is_leader',
  'jobs_processed_total',
  'jobs_succeeded_total',
  'jobs_failed_total',
  'processing_duration_seconds',
  'active_schedulers',
  'active_workers',
  'stream_lag',
];

let world: ApiWorld;
beforeAll(async () => {
  world = await ApiWorld.start({ engine: { heartbeatMs: 50 } });
});
afterAll(() => world.stop());

async function scrape(): Promise<Map<string, number>> {
  const { text, status } = await world.ask('/metrics');
  expect(status).toBe(200);
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const at = line.lastIndexOf(' ');
      return [line.slice(0, at).replace('signalbox_', ''), Number(line.slice(at + 1))];
    }),
  );
}

describe('metrics', () => {
  it('OBS-03 OBS-04 OBS-05 are those that docs/metrics.md lists', async () => {
    const { text } = await world.ask('/metrics');
    const made = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [name, type]);
    const listed = [...readFileSync(DOC, 'utf8').matchAll(/^\| `(signalbox_\S+)` \| (\w+) \|/gm)];
    expect(listed.map(([, name, type]) => [name, type]).sort()).toEqual(made.sort());
  });

  it('OBS-04 OBS-05 have the names that were asked for', async () => {
    const { text } = await world.ask('/metrics');
    for (const name of ROWS) expect(text).toContain(`# TYPE signalbox_${name} `);
  });

  it('names have base units, and counters end in _total, but for those of OBS-04', async () => {
    const { text } = await world.ask('/metrics');
    const fixed = new Set(ROWS.map((name) => `signalbox_${name}`));
    const odd = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].filter(([, name = '', type]) => {
      const isTotal = name.endsWith('_total');
      if (fixed.has(name)) return false;
      return (type === 'counter') !== isTotal || /_(ms|mb|kb|minutes)(_|$)/.test(name);
    });
    expect(odd.map(([, name]) => name)).toEqual([]);
  });

  it('OBS-04 counters whose fixed name lacks _total are also there under the name with it', async () => {
    const { text } = await world.ask('/metrics');
    const counters = [...text.matchAll(/^# TYPE signalbox_(\S+) counter$/gm)].map(
      ([, name]) => name,
    );
    const fixed = counters.filter((name) => !name?.endsWith('_total'));
    expect(fixed).toEqual(['dispatch_failures', 'leadership_changes']);
    const values = await scrape();
    for (const name of fixed) {
      expect(values.get(`${name}_total`)).toBe(values.get(name ?? ''));
      expect(text).toContain(`# HELP signalbox_${name} Alias of signalbox_${name}_total\n`);
    }
    expect(values.get('leadership_changes_total')).toBeGreaterThan(0);
  });

  it('OBS-03 OBS-05 count what really happened', async () => {
    await world.ask('/jobs', { body: { name: 'hello', definition: {} }, tenant: 'acme' });
    for (let i = 0; i < 3; i++)
      await world.ask('/runs', { body: { job: 'hello' }, tenant: 'acme' });
    const before = await scrape();
    expect(before.get('pending_jobs')).toBe(3);
    expect(before.get('queued_tasks{priority="P1",tenant="acme"}')).toBe(3);
    expect(before.get('runs_submitted_total{priority="P1",tenant="acme"}')).toBe(3);
    expect(before.get('is_leader')).toBe(1);
    expect(before.get('active_schedulers')).toBe(1);
    expect(before.get('active_workers')).toBe(0);

    await runAll(3);
    const after = await scrape();
    expect(after.get('active_workers')).toBe(1);
    expect(after.get('pending_jobs')).toBe(0);
    expect(after.get('jobs_dispatched_total')).toBe(3);
    expect(after.get('jobs_processed_total')).toBe(3);
    expect(after.get('jobs_succeeded_total')).toBe(2);
    expect(after.get('jobs_failed_total')).toBe(1);
    expect(after.get('attempt_failures_total{priority="P1",reason="permanent"}')).toBe(1);
    const delay = 'scheduling_delay_seconds_count{priority="P1",tenant="acme",zone="z1"}';
    expect(after.get(delay)).toBe(3);
    expect(after.get('processing_duration_seconds_count{priority="P1"}')).toBe(3);
    expect(after.get('run_duration_seconds_count{priority="P1",state="SUCCEEDED"}')).toBe(2);
    expect(after.get('dispatch_duration_seconds_count')).toBe(3);
    expect(after.get('stream_lag')).toBe(0);
    expect(after.get('heartbeats_total')).toBe(1);
    expect(after.get('worker_utilisation_ratio{resource="slots"}')).toBe(0);
    expect(after.get('facts_committed_total{kind="runSubmitted"}')).toBe(3);
  });

  it('count requests by their declared address, never by what was sent', async () => {
    await world.ask('/jobs/one');
    await world.ask('/jobs/two');
    await world.ask('/nowhere/at/all');
    const counts = await scrape();
    const label = 'http_requests_total{method="GET",route="/api/v1/jobs/:job",status="404"}';
    expect(counts.get(label)).toBe(2);
    expect(counts.get('http_requests_total{method="GET",route="",status="404"}')).toBe(1);
  });
});

/** A worker that ends `count` attempts, the last of them badly. */
async function runAll(count: number): Promise<void> {
  const resources = { cpuMilli: 8_000, memoryMb: 8_000, gpu: 0, diskMb: 8_000, slots: 8 };
  const none = { cpuMilli: 0, memoryMb: 0, gpu: 0, diskMb: 0, slots: 0 };
  const confirmed = Promise.withResolvers<void>();
  let assigned = 0;
  let left = count;
  const link = await connectInProcess(world.node.gateway).connect({
    received: (frames) => {
      for (const frame of frames) {
        if (frame.kind === 'confirm') left -= frame.refs.length;
        if (left === 0) confirmed.resolve();
        if (frame.kind !== 'assign') continue;
        const { ref } = frame;
        const bad = ++assigned === count;
        const result = bad
          ? ({ kind: 'failed', error: 'no', class: 'permanent' } as const)
          : ({ kind: 'succeeded' } as const);
        link.send([
          { kind: 'accept', refs: [ref] },
          { kind: 'finish', ref, result, output: null },
        ]);
      }
    },
    closed: () => {},
  });
  link.send([
    {
      kind: 'hello',
      protocol: 1,
      worker: 'w1',
      instance: 'i1',
      zone: 'z1',
      labels: {},
      executors: ['handler:hello'],
      total: resources,
      foreignUse: none,
      holds: [],
    },
    { kind: 'beat', foreignUse: none, progress: [] },
  ]);
  await confirmed.promise;
  await world.node.context.loop.flushed();
}

describe('a bounded label', () => {
  it('OBS-03 stays bounded however many names come', () => {
    const label = boundedLabel(3);
    const seen = new Set(Array.from({ length: 1_000 }, (_, i) => label(`tenant-${i}`)));
    expect([...seen].sort()).toEqual([OTHER, 'tenant-0', 'tenant-1', 'tenant-2']);
    expect(label('tenant-1')).toBe('tenant-1');
  });
});

describe('a rate per second', () => {
  it('OBS-04 is over the last minute, or over what there was of it', () => {
    let now = 5_000;
    const rate = new DispatchRate(() => now);
    rate.add(10);
    rate.add(20);
    expect(rate.perSecond()).toBe(30);
    now += 29_000;
    expect(rate.perSecond()).toBe(1);
    now += 30_999;
    expect(rate.perSecond()).toBe(0.5);
    now += 1;
    expect(rate.perSecond()).toBe(0);
  });
});

describe('signalbox_store_up', () => {
  it('OBS-03 is 0 while the store cannot be read or written, and 1 again afterwards', async () => {
    const node = await SmallNode.start();
    let fails = false;
    const store: Store = Object.create(node.disk) as Store;
    store.listLeases = async () => {
      if (fails) throw new Error('away');
      return node.disk.listLeases();
    };
    const metrics = new NodeMetrics({ loop: () => node.context.loop, store });
    const up = async () =>
      / (\d)$/.exec(/^signalbox_store_up.*$/m.exec(await metrics.text())?.[0] ?? '')?.[1];
    expect(await up()).toBe('1');
    fails = true;
    expect(await up()).toBe('0');
    fails = false;
    expect(await up()).toBe('1');
    metrics.observe({ kind: 'storeAway', error: 'a commit failed' });
    expect(await up()).toBe('0');
    metrics.observe({ kind: 'storeBack' });
    expect(await up()).toBe('1');
    metrics.stop();
    await node.stop();
  });
});
