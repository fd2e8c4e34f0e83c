import { beforeEach, describe, expect, it, vi } from 'vitest';
import { propertySeed } from '../../../../tools/testing/property.ts';
import { findForgotten } from '../testing/audit.ts';
import { resources } from '../testing/builders.ts';
import { Chaos } from '../testing/chaos.ts';
import { Harness } from '../testing/harness.ts';

/** How often placement was asked. */
const placement = vi.hoisted(() => ({ asked: 0 }));

vi.mock(import('../place/choose.ts'), async (original) => {
  const real = await original();
  return {
    ...real,
    choose: (question) => {
      placement.asked++;
      return real.choose(question);
    },
  };
});

beforeEach(() => {
  placement.asked = 0;
});

/** A full worker, and behind it tasks that wait for room, for a worker that is not there, or alone. */
function crowded() {
  const h = new Harness();
  h.addWorker({ name: 'w1', total: { slots: 4, cpuMilli: 4_000 } });
  h.addWorker({ name: 'w2', total: { slots: 1, cpuMilli: 1_000 } });
  const alone = h.submit({ job: 'alone', apart: ['alone'], request: { cpuMilli: 100 } });
  for (let i = 0; i < 2; i++) h.submit({ job: 'long', request: { slots: 1, cpuMilli: 1_000 } });
  h.acceptAll();
  for (let i = 0; i < 300; i++) {
    h.submit({ tenant: `t${i % 7}`, job: 'elsewhere', zone: 'nowhere' });
    h.submit({ tenant: `t${i % 7}`, job: 'large', request: { slots: 4 } });
    h.submit({ job: 'alone', apart: ['alone'], request: { cpuMilli: 100 } });
  }
  h.acceptAll();
  return { h, alone };
}

describe('tasks that cannot be placed', () => {
  it('U068: cost nothing while nothing changes, however many and however long they wait', () => {
    const { h } = crowded();
    const asked = placement.asked;
    expect(asked).toBeGreaterThan(0);
    const ticksBefore = h.now;
    for (let i = 0; i < 600; i++) h.advance(100);
    expect(h.now).toBe(ticksBefore + 60_000);
    expect(placement.asked - asked).toBe(0);
  });

  it('U068: of a shape that cannot be placed are asked about once, not once each', () => {
    const h = new Harness();
    h.addWorker({ total: { slots: 2 } });
    for (let i = 0; i < 1_000; i++) h.submit({ tenant: `t${i}`, request: { slots: 3 } });
    h.step();
    expect(placement.asked).toBe(1);
    h.submit({ request: { slots: 3 } });
    h.step();
    expect(placement.asked).toBe(1);
  });

  it('U068: are asked about again when there is room for them, and only then', () => {
    const h = new Harness();
    h.addWorker({ name: 'w1', total: { slots: 2 } });
    h.submit();
    h.submit();
    const [first, second] = h.acceptAll();
    for (let i = 0; i < 500; i++) h.submit({ tenant: `t${i}`, request: { slots: 2 } });
    h.step();
    const asked = placement.asked;
    h.succeed(first!);
    h.step();
    expect(placement.asked - asked).toBe(0);
    h.succeed(second!);
    h.step();
    // One is placed; the next one finds the worker full, and that is that for all of them.
    expect(placement.asked - asked).toBe(2);
    expect(h.live().length).toBe(1);
  });

  it('U068: are asked about again when a worker joins, recovers, or does less for others', () => {
    const h = new Harness();
    h.addWorker({ name: 'w1', total: { slots: 2 }, foreignUse: resources({ slots: 1 }) });
    const runs = [1, 2, 3].map(() => h.submit({ request: { slots: 2 } }));
    h.step();
    expect(h.live()).toEqual([]);
    h.apply({ kind: 'beat', worker: 'w1', foreignUse: resources(), progress: [] });
    h.step();
    expect(h.live().map((attempt) => attempt.task.run)).toEqual([runs[0]]);
    h.addWorker({ name: 'w2', total: { slots: 2 } });
    h.step();
    expect(h.live().length).toBe(2);
    h.apply({ kind: 'cordonWorker', worker: 'w2' });
    h.succeed(h.attemptOf(runs[1]!));
    h.step();
    expect(h.live().length).toBe(1);
    h.apply({ kind: 'uncordonWorker', worker: 'w2' });
    h.step();
    expect(h.live().length).toBe(2);
  });

  it('U068: that must be kept apart are tried again when the other has gone', () => {
    const { h, alone } = crowded();
    expect(h.live().length).toBe(4);
    h.succeed(h.attemptOf(alone));
    h.step();
    const jobs = h.live().map((attempt) => attempt.task.run.spec.job);
    expect(jobs.filter((job) => job === 'alone').length).toBe(2);
  });

  it('U047, U068: and nothing else waits: after every step of a bad day all that fits is placed', () => {
    const first = propertySeed();
    for (let seed = first; seed < first + 8; seed++) {
      const chaos = new Chaos(seed);
      let waited = 0;
      for (let i = 0; i < 500; i++) {
        chaos.act();
        const where = `repeat with PROPERTY_SEED=${seed}, step ${i}`;
        expect(findForgotten(chaos.harness.engine), where).toEqual([]);
        const [p0, p1, p2] = chaos.harness.engine.core.queues.size;
        if (p0 + p1 + p2 > 0) waited++;
      }
      expect(waited).toBeGreaterThan(50);
    }
  });
});
