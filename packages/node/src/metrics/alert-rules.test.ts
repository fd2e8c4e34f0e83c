import { readFileSync } from 'node:fs';
import { parseRunId, type RunId, taskAssigned, taskRequeued } from '@signalbox/engine';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SmallNode } from '../operations/testing/small-node.ts';
import { NodeMetrics } from './node-metrics.ts';

const PAGE = readFileSync(new URL('../../../../docs/metrics.md', import.meta.url), 'utf8');
const PARTITIONS = 16;

let node: SmallNode;
let metrics: NodeMetrics;
beforeEach(async () => {
  node = await SmallNode.start();
  metrics = new NodeMetrics({ loop: () => node.context.loop, store: node.disk });
});
afterEach(async () => {
  vi.restoreAllMocks();
  metrics.stop();
  await node.stop();
});

/** The rule of the page that reads this metric: its expression without the threshold, and the threshold. */
function ruleOf(metric: string): { expression: string; threshold: string } {
  const rows = [...PAGE.matchAll(/^\| [^|]+ \| `([^`]+) > ([^`]+)`.*\|$/gm)];
  const found = rows.filter(([, expression = '']) => expression.includes(`signalbox_${metric}`));
  expect(found, metric).toHaveLength(1);
  const [, expression = '', threshold = ''] = found[0] as RegExpMatchArray;
  return { expression, threshold };
}

async function samples(): Promise<Map<string, number>> {
  const text = await metrics.text();
  const lines = [...text.matchAll(/^signalbox_(\S+) (\S+)$/gm)];
  return new Map(lines.map(([, name = '', value]) => [name, Number(value)]));
}
const sample = async (name: string) => (await samples()).get(name) ?? 0;

/** The upper bound of the bucket that holds the 99th percentile, as `histogram_quantile` rounds up. */
async function p99(metric: string): Promise<number> {
  const buckets = [...(await samples())].flatMap(([name, count]) => {
    const bound = new RegExp(`^${metric}_bucket\\{le="(.+)"\\}$`).exec(name)?.[1];
    return bound === undefined ? [] : [{ bound: Number(bound.replace('+Inf', 'Infinity')), count }];
  });
  const total = Math.max(...buckets.map(({ count }) => count));
  return buckets.find(({ count }) => count >= 0.99 * total)?.bound ?? Number.NaN;
}

const at = { partition: 0, seq: 1, task: 0, attempt: 1, at: 0 };
const assigned = () => taskAssigned({ ...at, worker: 'w', token: 1, score: 0 });

describe('the alert rules of docs/metrics.md', () => {
  it('OBS-04 commits above 500 ms', async () => {
    expect(ruleOf('polling_latency_ms')).toEqual({
      expression: 'histogram_quantile(0.99, rate(signalbox_polling_latency_ms_bucket[5m]))',
      threshold: '500',
    });
    for (let i = 0; i < 100; i++) {
      metrics.observe({ kind: 'committed', facts: 1, ms: 40 });
    }
    expect(await p99('polling_latency_ms')).toBeLessThanOrEqual(500);
    for (let i = 0; i < 100; i++) {
      metrics.observe({ kind: 'committed', facts: 1, ms: 501 });
    }
    expect(await p99('polling_latency_ms')).toBeGreaterThan(500);
  });

  it('OBS-04 dispatch at more than twice its mean rate', async () => {
    const { expression, threshold } = ruleOf('jobs_dispatched_per_second');
    expect(expression).toBe('signalbox_jobs_dispatched_per_second');
    expect(threshold).toBe('2 * avg_over_time(signalbox_jobs_dispatched_per_second[1h])');
    let now = performance.now();
    vi.spyOn(performance, 'now').mockImplementation(() => now);
    const rates: number[] = [];
    const minute = async (perSecond: number) => {
      for (let second = 0; second < 60; second++) {
        metrics.published(0, Array.from({ length: perSecond }, assigned));
        now += 1_000;
      }
      rates.push(await sample('jobs_dispatched_per_second'));
    };
    for (let i = 0; i < 10; i++) await minute(10);
    const mean = () => rates.reduce((sum, rate) => sum + rate) / rates.length;
    expect(rates.at(-1)).toBeCloseTo(10, 0);
    expect(rates.at(-1)).toBeLessThan(2 * mean());
    await minute(40);
    expect(rates.at(-1)).toBeGreaterThan(2 * mean());
  });

  it('OBS-04 assignments that no worker accepts', async () => {
    expect(ruleOf('dispatch_failures')).toEqual({
      expression: 'rate(signalbox_dispatch_failures[10m])',
      threshold: '0',
    });
    await node.define('mail');
    const { partition, seq } = parseRunId(await node.submit({ job: 'mail' })) as RunId;
    const of = { ...at, partition, seq };
    metrics.published(partition, [taskAssigned({ ...of, worker: 'w', token: 1, score: 0 })]);
    expect(await sample('dispatch_failures')).toBe(0);
    metrics.published(partition, [taskRequeued({ ...of, reason: 'not_accepted' })]);
    expect(await sample('dispatch_failures')).toBe(1);
  });

  it('OBS-04 each partition changes its owner more than once in an hour', async () => {
    expect(ruleOf('leadership_changes')).toEqual({
      expression: 'increase(signalbox_leadership_changes[1h])',
      threshold: `2 * ${PARTITIONS}`,
    });
    const each = (change: (partition: number) => void) => {
      for (let partition = 0; partition < PARTITIONS; partition++) change(partition);
    };
    const gain = (partition: number) =>
      metrics.observe({ kind: 'leaseAcquired', partition, epoch: 1, trustedUntilMs: 0 });
    each(gain);
    each((partition) => metrics.observe({ kind: 'leaseLost', partition, why: 'lost' }));
    expect(await sample('leadership_changes')).toBeLessThanOrEqual(2 * PARTITIONS);
    each(gain);
    expect(await sample('leadership_changes')).toBeGreaterThan(2 * PARTITIONS);
  });

  it('OBS-04 a ready task has waited for more than 30 s', async () => {
    expect(ruleOf('lag_seconds')).toEqual({ expression: 'signalbox_lag_seconds', threshold: '30' });
    await node.define('mail');
    await node.submit({ job: 'mail' });
    expect(await sample('lag_seconds')).toBeLessThan(30);
    const { time } = node.context.loop;
    const later = time.now() + 31_000;
    vi.spyOn(time, 'now').mockImplementation(() => later);
    expect(await sample('lag_seconds')).toBeGreaterThan(30);
  });
});
