import { parseDetail } from '@signalbox/engine';
import { describe, expect, it } from 'vitest';
import { Stage } from './stage.ts';

const SILENT_MS = 15_000;

describe('a node and a worker that die together', () => {
  it('U010 leave nothing RUNNING: each task is retried or has failed within two sweeps of the restart', async () => {
    for (const silently of [true, false]) {
      const stage = await Stage.set({ nodes: 1, workers: [4, 4, 4], partitions: 2 });
      stage.submit('long', 10);
      await stage.pass(4_000);
      const [node] = stage.world.nodes;
      const [first, second] = stage.world.workers;
      const died = new Set<string>();
      for (const worker of [first!, second!]) {
        for (const { ref } of worker.holds.values()) {
          died.add(`${ref.partition}.${ref.seq}#${ref.number}`);
        }
        worker.crash(silently);
      }
      node!.crash();
      expect(died.size).toBeGreaterThan(3);
      await stage.pass(60_000);
      node!.start();
      // A node that takes over waits one lease for its predecessor, then one term for each worker.
      const upAt = stage.now;
      await stage.pass(2 * SILENT_MS);
      const { evidence, violations } = await stage.finish(60 * 60_000);
      expect(violations).toEqual([]);
      const endedAt = new Map<string, number>();
      for (const { partition, facts, t } of evidence.journal) {
        for (const packed of facts) {
          if (packed.kind !== 'fact') continue;
          const { fact } = packed;
          if (!('reason' in fact) || fact.reason !== 'worker_lost' || !('attempt' in fact))
            continue;
          endedAt.set(`${partition}.${fact.seq}#${fact.attempt}`, t);
        }
      }
      for (const attempt of died) {
        const at = endedAt.get(attempt);
        expect(at, attempt).toBeDefined();
        expect((at as number) - upAt, attempt).toBeLessThanOrEqual(2 * SILENT_MS);
      }
      for (const { run, end } of evidence.runs) {
        const [task] = parseDetail(end!.detail, run.id.ms).tasks;
        expect(['SUCCEEDED', 'FAILED', 'QUARANTINED']).toContain(task!.state);
      }
    }
  }, 120_000);
});
