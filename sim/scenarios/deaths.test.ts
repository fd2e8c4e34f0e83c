import { parseDetail } from '@signalbox/engine';
import { describe, expect, it } from 'vitest';
import { simulate } from '../simulate.ts';
import { drawOptions } from '../world/options.ts';
import { Stage } from './stage.ts';

describe('deaths of workers', () => {
  it('LIV-02 1,000 silent deaths are found in time, and the work is tried on another worker', async () => {
    const stage = await Stage.set({ nodes: 1, workers: Array.from({ length: 50 }, () => 1) });
    const { workers, clockwork, operator } = stage.world;
    const diedAt = new Map<string, number>();
    for (let round = 0; round < 20; round++) {
      stage.submit('long', 50);
      await stage.pass(3_000);
      for (const [i, worker] of workers.entries()) {
        clockwork.after(i * 30, operator, () => {
          diedAt.set(worker.instance, clockwork.now);
          worker.crash(true);
        });
      }
      await stage.pass(30_000);
      for (const worker of workers) worker.start();
      await stage.pass(150_000);
    }
    const { evidence, violations } = await stage.finish(60 * 60_000);
    expect(violations).toEqual([]);
    expect(diedAt.size).toBe(1_000);
    const lost = new Map<string, number>();
    let elsewhere = 0;
    let tries = 0;
    for (const { partition, facts, t } of evidence.journal) {
      for (const packed of facts) {
        if (packed.kind !== 'fact' || packed.fact.kind !== 'taskRetryAt') continue;
        if (packed.fact.reason !== 'worker_lost') continue;
        lost.set(`${partition}.${packed.fact.seq}#${packed.fact.attempt}`, t);
      }
    }
    const delays: number[] = [];
    for (const event of stage.events('start')) {
      const { partition, seq, number } = event.ref;
      const foundAt = lost.get(`${partition}.${seq}#${number}`);
      const at = diedAt.get(event.instance);
      if (foundAt !== undefined && at !== undefined) delays.push(foundAt - at);
    }
    for (const { run, end } of evidence.runs) {
      const [task] = parseDetail(end!.detail, run.id.ms).tasks;
      task!.attempts.forEach(({ worker, outcome }, i) => {
        const next = task!.attempts[i + 1];
        if (outcome !== 'worker_lost' || next === undefined) return;
        tries++;
        if (next.worker !== worker) elsewhere++;
      });
    }
    delays.sort((a, b) => a - b);
    const at = (share: number) => delays[Math.floor(delays.length * share)]!;
    expect(delays.length).toBeGreaterThan(900);
    expect(at(0.5)).toBeLessThan(60_000);
    expect(at(0.95)).toBeLessThan(90_000);
    expect(at(0.99)).toBeLessThan(120_000);
    expect(elsewhere / tries).toBeGreaterThan(0.95);
  }, 120_000);

  it('U001 workers are killed at random for 24 h: nothing stays RUNNING longer than its lease and one sweep', async () => {
    const options = {
      ...drawOptions(77, 24 * 60),
      restMinutes: 60,
      nodes: 1,
      workers: [2, 2, 2, 2],
      tenants: 1,
      partitions: 2,
      faults: { 'worker.crash': 45_000, 'link.half-open': 90_000 },
      submitEveryMs: 20_000,
      burst: 1,
      dueShare: 0,
      liarShare: 0,
      engine: {},
      loop: {},
    };
    const { evidence, result } = await simulate(options);
    expect(result.violations).toEqual([]);
    const hardMs = 120_000;
    const silentMs = 15_000;
    const graceMs = 10_000;
    let longestMs = 0;
    for (const { run, end } of evidence.runs) {
      for (const { attempts } of parseDetail(end!.detail, run.id.ms).tasks) {
        for (const { startedAt, endedAt, outcome } of attempts) {
          if (startedAt === 0 || run.job === 'long') continue;
          longestMs = Math.max(longestMs, endedAt - startedAt);
          // A lost worker is found one silent term after its last word, at the latest.
          if (outcome === 'worker_lost')
            expect(endedAt - startedAt).toBeLessThan(hardMs + silentMs);
        }
      }
    }
    expect(longestMs).toBeLessThan(hardMs + graceMs + silentMs);
    expect(result.sometimes['attempt lost with its worker']).toBeGreaterThan(100);
  }, 240_000);
});
