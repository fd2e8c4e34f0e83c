import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assertProperty } from '../../../../tools/testing/property.ts';
import type { Class } from '../model/classes.ts';
import { Harness } from '../testing/harness.ts';

function limited(runningMax: number) {
  // Nobody accepts here: in a long sequence the first attempt would be given up, and its worker rest.
  const h = new Harness({ settings: { acceptMs: 600_000 } });
  h.addWorker({ total: { slots: 100 } });
  h.apply({ kind: 'setTenant', tenant: 'greedy', weight: 1, runningMax });
  const running = (tenant: string, klass: Class): number => {
    return h.live().filter((a) => a.task.run.spec.tenant === tenant && a.class === klass).length;
  };
  return { h, running };
}

describe("a tenant's limit", () => {
  it('TEN-04: who is over it is passed over in the same step, not waited for', () => {
    const { h, running } = limited(2);
    for (let i = 0; i < 50; i++) h.submit({ tenant: 'greedy' });
    const modest = h.submit({ tenant: 'modest' });
    h.step();
    expect(running('greedy', 1)).toBe(2);
    expect(modest.tasks[0]?.state).toBe('ASSIGNED');
  });

  it('TEN-04: the heads of a hundred tenants over it hide nobody: the youngest task of another starts in the same step', () => {
    const h = new Harness({ settings: { acceptMs: 600_000 } });
    h.addWorker({ total: { slots: 1_000 } });
    const greedy = Array.from({ length: 100 }, (_, i) => `greedy-${i}`);
    for (const tenant of greedy) {
      h.apply({ kind: 'setTenant', tenant, weight: 1, runningMax: 1 });
      for (let i = 0; i < 20; i++) h.submit({ tenant });
    }
    h.step();
    const assigned = () => h.factsOf('taskAssigned').length;
    expect(assigned()).toBe(100);
    // Every one of the hundred queues now begins with a task that its tenant's limit holds back.
    const modest = h.submit({ tenant: 'modest' });
    expect(h.engine.schedule(h.now, h.random)).toBe(false);
    h.flush();
    expect(modest.tasks[0]?.state).toBe('ASSIGNED');
    expect(assigned()).toBe(101);
  });

  it('TEN-04: a limit of zero holds all back and hides nobody', () => {
    const { h, running } = limited(0);
    for (let i = 0; i < 5; i++) h.submit({ tenant: 'greedy' });
    const others = [1, 2, 3].map((i) => h.submit({ tenant: `t${i}` }));
    h.step();
    expect(running('greedy', 1)).toBe(0);
    expect(others.every((run) => run.tasks[0]?.state === 'ASSIGNED')).toBe(true);
    h.apply({ kind: 'setTenant', tenant: 'greedy', weight: 1, runningMax: 3 });
    h.step();
    expect(running('greedy', 1)).toBe(3);
  });

  it('TEN-04: the next one starts as soon as one ends, and what runs is never stopped for it', () => {
    const { h, running } = limited(3);
    const runs = Array.from({ length: 6 }, () => h.submit({ tenant: 'greedy' }));
    h.step();
    h.succeed(h.attemptOf(runs[0]!));
    h.step();
    expect(runs[3]?.tasks[0]?.state).toBe('ASSIGNED');
    h.apply({ kind: 'setTenant', tenant: 'greedy', weight: 1, runningMax: 1 });
    h.step();
    expect(running('greedy', 1)).toBe(3);
    h.succeed(h.attemptOf(runs[1]!));
    h.succeed(h.attemptOf(runs[2]!));
    h.step();
    expect(running('greedy', 1)).toBe(1);
    expect(runs[4]?.tasks[0]?.state).toBe('QUEUED');
  });

  it('PRI-11: does not hold back P0, while P1 and P2 wait', () => {
    const { h, running } = limited(1);
    for (const klass of [0, 1, 2] as const) {
      for (let i = 0; i < 4; i++) h.submit({ tenant: 'greedy', class: klass });
    }
    h.step();
    expect([running('greedy', 0), running('greedy', 1), running('greedy', 2)]).toEqual([4, 1, 1]);
    const late = h.submit({ tenant: 'greedy', class: 0 });
    h.step();
    expect(late.tasks[0]?.state).toBe('ASSIGNED');
  });

  it('PRI-11: a held task that becomes P0 starts', () => {
    const { h } = limited(0);
    const run = h.submit({ tenant: 'greedy', class: 2 });
    h.step();
    expect(run.tasks[0]?.state).toBe('QUEUED');
    const { partition, seq } = run;
    h.apply({ kind: 'changeClass', partition, seq, class: 0, by: 'someone', reason: 'fire' });
    h.step();
    expect(run.tasks[0]?.state).toBe('ASSIGNED');
  });

  it('I14 is never exceeded in its class, through any sequence of limits, ends and refusals', () => {
    const ops = fc.array(
      fc.oneof(
        fc.record({ kind: fc.constant('submit' as const), n: fc.integer({ min: 1, max: 5 }) }),
        fc.record({ kind: fc.constant('end' as const), n: fc.nat(20) }),
        fc.record({ kind: fc.constant('refuse' as const), n: fc.nat(20) }),
        fc.record({ kind: fc.constant('limit' as const), n: fc.nat(4) }),
      ),
      { maxLength: 60, size: 'max' },
    );
    assertProperty(
      fc.property(ops, (list) => {
        const { h, running } = limited(2);
        let limit = 2;
        for (const { kind, n } of list) {
          const before = running('greedy', 1);
          const attempt = h.live()[n % Math.max(1, before)];
          if (kind === 'submit') for (let i = 0; i < n; i++) h.submit({ tenant: 'greedy' });
          else if (kind === 'limit') {
            limit = n;
            h.apply({ kind: 'setTenant', tenant: 'greedy', weight: 1, runningMax: n });
          } else if (attempt !== undefined) {
            if (kind === 'end') h.succeed(attempt);
            else h.refuse(attempt);
          }
          h.advance(h.engine.core.settings.restMs);
          const waiting = h.engine.core.ofTenant('greedy', 1).queued;
          expect(running('greedy', 1)).toBeLessThanOrEqual(Math.max(limit, before));
          // And it is used: whoever waits does so because of it.
          if (waiting > 0) expect(running('greedy', 1)).toBeGreaterThanOrEqual(limit);
        }
      }),
      { numRuns: 30 },
    );
  });

  it('refuses a weight that is not above zero, which no share could be computed from', () => {
    const { h } = limited(1);
    for (const weight of [0, -1, Number.NaN]) {
      const answer = h.apply({ kind: 'setTenant', tenant: 'greedy', weight, runningMax: 1 });
      expect(answer).toMatchObject({ kind: 'refused', code: 'invalid' });
    }
  });
});
