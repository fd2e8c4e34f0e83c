import { parseDetail } from '@signalbox/engine';
import { describe, expect, it } from 'vitest';
import type { Evidence } from '../evidence.ts';
import { Stage } from './stage.ts';

/** Of each attempt that died with its worker: how long it stayed RUNNING in the journal. */
function foundAfterDeath({ events, journal }: Evidence): number[] {
  const killedAt = new Map<string, number>();
  for (const event of events) {
    if (event.kind !== 'end' || event.how !== 'killed') continue;
    const { partition, seq, task, number } = event.ref;
    killedAt.set(`${partition}.${seq}/${task}#${number}`, event.t);
  }
  const found: number[] = [];
  for (const { partition, facts, t } of journal) {
    for (const packed of facts) {
      if (packed.kind !== 'fact') continue;
      const { fact } = packed;
      if (!('attempt' in fact) || fact.kind === 'taskAssigned' || fact.kind === 'taskStarted')
        continue;
      if (fact.kind === 'taskCheckpointed' || fact.kind === 'taskExtended') continue;
      const at = killedAt.get(`${partition}.${fact.seq}/${fact.task}#${fact.attempt}`);
      if (at !== undefined) found.push(t - at);
    }
  }
  return found;
}

describe('deaths of workers', () => {
  it('LIV-02 U004 1,000 silent deaths are found in time, and the work is tried on another worker', async () => {
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
    const startedAt = new Map<string, number>();
    for (const { ref, t } of stage.events('start')) {
      startedAt.set(`${ref.partition}.${ref.seq}#${ref.number}`, t);
    }
    const recoveries: number[] = [];
    for (const event of stage.events('start')) {
      const { partition, seq, number } = event.ref;
      const next = startedAt.get(`${partition}.${seq}#${number + 1}`);
      const died = diedAt.get(event.instance);
      if (next !== undefined && died !== undefined && event.t < died) recoveries.push(next - died);
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
    // From the death of the worker to the start of the next attempt, its back-off included.
    recoveries.sort((a, b) => a - b);
    expect(recoveries.length).toBeGreaterThan(900);
    expect(recoveries.at(-1)).toBeLessThanOrEqual(90_000);
  }, 120_000);

  it('U001 F3 workers are killed at random for 24 h: nothing stays RUNNING longer than its lease and one sweep', async () => {
    const minutes = 24 * 60;
    const stage = await Stage.set({
      minutes,
      nodes: 1,
      workers: [2, 2, 2, 2],
      partitions: 2,
      faults: { 'worker.crash': 45_000, 'link.half-open': 90_000 },
      submitEveryMs: 20_000,
      burst: 1,
      dueShare: 0,
    });
    await stage.pass(minutes * 60_000);
    const { evidence, violations } = await stage.finish(60 * 60_000);
    expect(violations).toEqual([]);
    const hardMs = 120_000;
    const silentMs = 15_000;
    const graceMs = 10_000;
    const sweepMs = 5_000;
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
    const afterDeath = foundAfterDeath(evidence);
    expect(afterDeath.length).toBeGreaterThan(100);
    expect(Math.max(...afterDeath)).toBeLessThanOrEqual(silentMs + sweepMs);
  }, 240_000);
});
