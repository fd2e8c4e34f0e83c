import { describe, expect, it } from 'vitest';
import { Harness } from '../../packages/engine/src/testing/harness.ts';

/** Processor time of this process, which other programs on the machine hardly change. */
function cpuMs(act: () => void): number {
  const before = process.cpuUsage();
  act();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

describe('PRF-07 the engine', () => {
  it('takes 1,700 heartbeats a second of 50,000 workers in far less than a millisecond each', () => {
    const h = new Harness();
    const workers = Array.from({ length: 50_000 }, (_, i) => h.addWorker({ name: `w${i}` }));
    const beats = 8_500;
    const tookMs = cpuMs(() => {
      for (let i = 0; i < beats; i++) {
        const { info, foreignUse } = workers[(i * 7_919) % workers.length] ?? workers[0]!;
        h.apply({ kind: 'beat', worker: info.name, foreignUse, progress: [] });
      }
    });
    expect(tookMs / beats).toBeLessThan(1);
    // Five seconds' worth takes less than one.
    expect(tookMs).toBeLessThan(1_000);
  });

  it('evaluates the dependencies of 23,000 completions in less than a second', () => {
    const width = 1_000;
    const tasks = Array.from({ length: 24 }, (_, i) => ({
      name: `t${i}`,
      after: i === 0 ? [] : [`t${i - 1}`],
    }));
    const h = new Harness({ settings: { acceptMs: 600_000 } });
    h.addWorker({ total: { slots: width } });
    for (let i = 0; i < width; i++) h.submit({ tasks });
    let completions = 0;
    let tookMs = 0;
    while (completions < 23_000) {
      const live = h.acceptAll();
      expect(live).toHaveLength(width);
      tookMs += cpuMs(() => {
        for (const attempt of live) h.succeed(attempt);
      });
      completions += live.length;
    }
    h.step();
    expect(h.factsOf('taskAssigned')).toHaveLength(24_000);
    expect(tookMs).toBeLessThan(1_000);
  });
});
