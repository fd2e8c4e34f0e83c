import { describe, expect, it } from 'vitest';
import { propertySeed } from '../../../../tools/testing/property.ts';
import type { Fact } from '../facts/facts.ts';
import { add, DIMENSIONS } from '../model/resources.ts';
import { refOf } from '../model/run.ts';
import { audit } from '../testing/audit.ts';
import { resources } from '../testing/builders.ts';
import { Chaos } from '../testing/chaos.ts';
import { Harness } from '../testing/harness.ts';

/** What an assignment asks for was there: beside all the worker holds, others' work included. */
function expectRoom(harness: Harness, facts: readonly Fact[]): void {
  const { core } = harness.engine;
  for (const fact of facts) {
    const worker = fact.kind === 'taskAssigned' ? core.workers.workers.get(fact.worker) : undefined;
    if (worker === undefined || fact.kind !== 'taskAssigned') continue;
    const attempt = worker.attempts.find(
      (each) => each.token === fact.token && each.task.run.partition === fact.partition,
    );
    if (attempt === undefined) continue;
    let used = worker.foreignUse;
    for (const each of worker.attempts) used = add(used, each.shape.request);
    for (const dimension of DIMENSIONS) {
      if (attempt.shape.request[dimension] === 0) continue;
      expect(used[dimension]).toBeLessThanOrEqual(worker.info.total[dimension]);
    }
  }
}

const YEAR_MS = 31_536_000_000;

describe('the capacity of workers', () => {
  it('PLC-01 U013 I14: is never exceeded, and slots equal live attempts, through refusals, lingering attempts, losses and returns', () => {
    const first = propertySeed();
    const seen = new Set<string>();
    for (let seed = first; seed < first + 12; seed++) {
      const chaos = new Chaos(seed);
      const { harness } = chaos;
      for (let step = 0; step < 1_000; step++) {
        const facts = chaos.act();
        const where = `repeat with PROPERTY_SEED=${seed}, step ${step}`;
        expect(audit(harness.engine), where).toEqual([]);
        expectRoom(harness, facts);
        for (const worker of harness.engine.core.workers.workers.values()) {
          if (worker.lingering.size > 0) seen.add('lingering');
          if (worker.attempts.length > 2) seen.add('busy');
        }
      }
      for (const fact of harness.facts) if ('reason' in fact) seen.add(fact.reason);
    }
    // A quiet day would show nothing.
    for (const what of ['lingering', 'busy', 'refused', 'not_accepted', 'worker_lost', 'evicted']) {
      expect([...seen]).toContain(what);
    }
  });

  it('PLC-01: stays taken by a superseded attempt until its worker says that it is gone', () => {
    const h = new Harness();
    h.addWorker({ total: { slots: 1 } });
    h.submit({ timeouts: { graceMs: 1_000 } });
    const next = h.submit();
    const [attempt] = h.acceptAll();
    h.apply({ kind: 'evictWorker', worker: 'w1' });
    h.step();
    expect(h.live()).toEqual([]);
    expect(next.tasks[0]?.state).toBe('QUEUED');
    h.finish(attempt!, { kind: 'stopped' });
    h.step();
    expect(h.live().length).toBe(1);
  });

  it('PLC-01: is given back after the time to stop, if the worker never says so', () => {
    const h = new Harness();
    h.addWorker({ total: { slots: 1 } });
    h.submit({ timeouts: { graceMs: 1_000 } });
    h.acceptAll();
    h.apply({ kind: 'evictWorker', worker: 'w1' });
    const { stopSlackMs } = h.engine.core.settings;
    h.advance(1_000 + stopSlackMs - 1);
    expect(h.live()).toEqual([]);
    h.advance(1);
    expect(h.live().length).toBe(1);
  });

  it('PLC-01: is not kept for a long grace once the worker was told that the attempt is stale', () => {
    const h = new Harness();
    h.addWorker({ total: { slots: 1 } });
    h.submit({ timeouts: { graceMs: YEAR_MS } });
    const [attempt] = h.acceptAll();
    h.apply({ kind: 'evictWorker', worker: 'w1' });
    const progress = [{ ref: refOf(attempt!), value: 1 }];
    h.apply({ kind: 'beat', worker: 'w1', foreignUse: resources(), progress });
    h.flush();
    expect(h.effectsOf('stale')).toHaveLength(1);
    h.advance(h.engine.core.settings.stopSlackMs - 1);
    expect(h.live()).toEqual([]);
    h.advance(1);
    expect(h.live().length).toBe(1);
  });

  it('PLC-01: is not kept for a long grace by an attempt that was taken back unaccepted', () => {
    const h = new Harness();
    h.addWorker({ total: { slots: 1 } });
    h.submit({ timeouts: { graceMs: YEAR_MS } });
    h.step();
    const { acceptMs, stopSlackMs } = h.engine.core.settings;
    h.advance(acceptMs);
    expect(h.live()).toEqual([]);
    h.advance(stopSlackMs);
    expect(h.live().length).toBe(1);
  });

  it('PLC-01: is given back by a refusal that crossed an eviction', () => {
    const h = new Harness();
    h.addWorker({ total: { slots: 1 } });
    h.submit({ timeouts: { graceMs: YEAR_MS } });
    h.step();
    const [attempt] = h.live();
    h.apply({ kind: 'evictWorker', worker: 'w1' });
    h.apply({ kind: 'refuse', worker: 'w1', ref: refOf(attempt!), foreignUse: null });
    h.step();
    expect(h.live().length).toBe(1);
  });

  it('PLC-01: of a worker that comes back smaller is not filled before it has worked off', () => {
    const h = new Harness();
    h.addWorker({ total: { slots: 4 } });
    for (let i = 0; i < 10; i++) h.submit();
    const holds = h.acceptAll().map(refOf);
    h.addWorker({ total: { slots: 2 }, holds });
    const running = (): number => h.worker('w1').attempts.length;
    const counts = [running()];
    for (let i = 0; i < 4; i++) {
      h.succeed(h.live()[0]!);
      h.step();
      counts.push(running());
    }
    expect(counts).toEqual([4, 3, 2, 2, 2]);
  });

  it('PLC-01: counts what the worker holds for others, however much that is', () => {
    const h = new Harness();
    h.addWorker({ total: { slots: 4 } });
    for (let i = 0; i < 10; i++) h.submit();
    h.acceptAll();
    h.apply({ kind: 'beat', worker: 'w1', foreignUse: resources({ slots: 3 }), progress: [] });
    for (let i = 0; i < 3; i++) {
      h.succeed(h.live()[0]!);
      h.step();
      expect(h.live().length).toBe(3 - i);
    }
    h.succeed(h.live()[0]!);
    h.step();
    expect(h.live().length).toBe(1);
  });
});
