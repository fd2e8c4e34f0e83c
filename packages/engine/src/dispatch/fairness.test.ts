import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assertProperty } from '../../../../tools/testing/property.ts';
import { buildSpec } from '../testing/builders.ts';
import { type Contender, Contest } from '../testing/contest.ts';
import { Harness } from '../testing/harness.ts';

const tenMinutes = 600_000;

function within(part: number, expected: number, tolerance: number): void {
  expect(part).toBeGreaterThan(expected * (1 - tolerance));
  expect(part).toBeLessThan(expected * (1 + tolerance));
}

describe('fair shares', () => {
  it('TEN-02: weights 2:1 give 2:1 of slot-seconds, with tasks of other length and size', () => {
    const contest = new Contest({
      contenders: [
        { tenant: 'many', weight: 2, slots: 1, ms: 1_500 },
        { tenant: 'long', weight: 1, slots: 2, ms: 7_500 },
      ],
      workers: 3,
      slots: 8,
    });
    contest.run(tenMinutes);
    const ratio = contest.fleet.slotMs('many') / contest.fleet.slotMs('long');
    within(ratio, 2, 0.05);
    // By count it is twenty to one: what is shared is time on slots, not starts.
    const started = (tenant: string): number =>
      contest.harness.factsOf('runEnded').filter((fact) => fact.tenant === tenant).length;
    expect(started('many')).toBeGreaterThan(15 * started('long'));
    expect(contest.fleet.slotMs('many') + contest.fleet.slotMs('long')).toBeGreaterThan(
      0.98 * 24 * tenMinutes,
    );
  });

  it('TEN-02: a weight that is changed at run time holds from then on, without pay-back', () => {
    const contest = new Contest({
      contenders: [
        { tenant: 'a', weight: 1, slots: 1, ms: 2_000 },
        { tenant: 'b', weight: 1, slots: 1, ms: 5_000 },
      ],
      workers: 2,
      slots: 8,
    });
    contest.run(tenMinutes);
    within(contest.partOf('a'), 1 / 2, 0.05);
    for (const [weight, part] of [
      [3, 3 / 4],
      [1, 1 / 2],
    ] as const) {
      contest.setTenant('a', { weight });
      contest.fleet.countAfresh();
      contest.run(30_000);
      within(contest.partOf('a'), part, 0.15);
      contest.run(tenMinutes - 30_000);
      within(contest.partOf('a'), part, 0.05);
    }
  });

  it('U052: every tenant gets its part within five per cent, for any weights and durations', () => {
    const contenders = fc
      .array(
        fc.record({
          weight: fc.integer({ min: 1, max: 4 }),
          ms: fc.integer({ min: 400, max: 3_000 }),
        }),
        { minLength: 2, maxLength: 4 },
      )
      .map((list) => list.map((each, i): Contender => ({ ...each, slots: 1, tenant: `t${i}` })));
    assertProperty(
      fc.property(contenders, fc.nat(), (list, seed) => {
        const contest = new Contest({ contenders: list, workers: 2, slots: 6, seed });
        contest.run(tenMinutes / 2);
        const weights = list.reduce((sum, { weight }) => sum + weight, 0);
        for (const { tenant, weight } of list)
          within(contest.partOf(tenant), weight / weights, 0.05);
      }),
      { numRuns: 6 },
    );
  });
});

describe('a tenant that did not use its part', () => {
  const steady: Contender = { tenant: 'steady', weight: 1, slots: 1, ms: 700 };
  const back: Contender = { tenant: 'back', weight: 1, slots: 1, ms: 300 };

  it('has no claim for the time in which it wanted nothing', () => {
    const contest = new Contest({ contenders: [steady], workers: 2, slots: 8 });
    contest.run(60_000);
    contest.join(back);
    contest.fleet.countAfresh();
    contest.run(10_000);
    within(contest.partOf('back'), 1 / 2, 0.15);
  });

  it('has none either if a single task of its ran all the while', () => {
    const contest = new Contest({ contenders: [steady], workers: 2, slots: 8 });
    contest.submit(buildSpec({ tenant: 'back', job: 'endless' }), 10_000_000);
    contest.run(60_000);
    contest.join(back);
    contest.fleet.countAfresh();
    contest.run(10_000);
    within(contest.partOf('back'), 1 / 2, 0.15);
  });

  it('TEN-02: has none for the time in which its only tasks fitted no worker', () => {
    for (const gpuLater of [false, true]) {
      const contest = new Contest({ contenders: [steady], workers: 2, slots: 8 });
      contest.submit(buildSpec({ tenant: 'back', job: 'gpu', request: { gpu: 1 } }), 1_000);
      contest.run(tenMinutes);
      if (gpuLater) contest.harness.addWorker({ name: 'gpu', total: { slots: 1, gpu: 1 } });
      contest.join(back);
      contest.fleet.countAfresh();
      contest.run(10_000);
      within(contest.partOf('back'), 1 / 2, 0.15);
    }
  });

  it('TEN-02: has none for the time in which one long task of another tenant ran', () => {
    const h = new Harness();
    h.addWorker({ total: { slots: 1 } });
    h.submit({ tenant: 'a' });
    h.acceptAll();
    h.advance(3_600_000);
    for (let i = 0; i < 20; i++) for (const tenant of ['a', 'b']) h.submit({ tenant });
    const order: string[] = [];
    while (order.length < 20) {
      const [attempt] = h.acceptAll();
      h.advance(60_000);
      h.succeed(attempt!);
      h.step();
      order.push(attempt!.task.run.spec.tenant);
    }
    expect(order.filter((tenant) => tenant === 'a').length).toBeGreaterThanOrEqual(9);
  });

  it('has none for the time in which its own limit kept it down', () => {
    const contest = new Contest({ contenders: [steady, back], workers: 2, slots: 8 });
    contest.setTenant('back', { runningMax: 1 });
    contest.run(60_000);
    expect(contest.partOf('back')).toBeLessThan(0.07);
    contest.setTenant('back', { runningMax: 1_000 });
    contest.fleet.countAfresh();
    contest.run(10_000);
    within(contest.partOf('back'), 1 / 2, 0.15);
  });
});

describe('assignments that never begin', () => {
  /** A fleet whose tenants have tasks of a minute each, and which then has no room left. */
  function busyFleet(): Harness {
    const h = new Harness();
    h.addWorker({ name: 'w1', total: { slots: 20 } });
    for (let round = 0; round < 40; round++) {
      for (const tenant of ['a', 'b']) h.submit({ tenant });
      const attempts = h.acceptAll();
      h.advance(60_000);
      for (const attempt of attempts) h.succeed(attempt);
      h.step();
    }
    return h;
  }

  it('TEN-02: leave no debt to the tenant whose tasks were refused', () => {
    const h = busyFleet();
    const owner = h.engine.core.ofTenant('a', 1);
    for (let i = 0; i < 20; i++) h.submit({ tenant: 'a' });
    const before = owner.computeKey(h.now);
    h.step();
    for (const attempt of h.live()) h.refuse(attempt, null);
    expect(owner.running).toBe(0);
    expect(owner.fairKey - before).toBeLessThan(100);
  });

  it('TEN-02: set no level that others would have to start from', () => {
    const h = busyFleet();
    for (let i = 0; i < 20; i++) h.submit({ tenant: 'a' });
    h.step();
    for (const attempt of h.live()) h.refuse(attempt, null);
    h.submit({ tenant: 'c' });
    const [a, c] = ['a', 'c'].map((tenant) => h.engine.core.ofTenant(tenant, 1).computeKey(h.now));
    expect((c as number) - (a as number)).toBeLessThan(100);
  });

  it('TEN-02: nor do tasks that end sooner than those before them', () => {
    const h = busyFleet();
    for (let i = 0; i < 20; i++) h.submit({ tenant: 'a' });
    for (const attempt of h.acceptAll()) h.succeed(attempt);
    h.submit({ tenant: 'c' });
    const [a, c] = ['a', 'c'].map((tenant) => h.engine.core.ofTenant(tenant, 1).computeKey(h.now));
    expect((c as number) - (a as number)).toBeLessThan(100);
  });
});

describe('a fleet full of small tasks', () => {
  it('TEN-02 U052 leaves their part to tasks that need half a worker', () => {
    const contest = new Contest({
      contenders: [
        { tenant: 'small', weight: 1, slots: 1, ms: 1_000 },
        { tenant: 'large', weight: 1, slots: 4, ms: 5_000 },
      ],
      workers: 4,
      slots: 8,
    });
    contest.run(tenMinutes / 2);
    within(contest.partOf('large'), 1 / 2, 0.05);
  });

  it('PRI-02 I13 does not hold up a P0 task that needs a whole worker', () => {
    const contest = new Contest({
      contenders: [{ tenant: 'small', weight: 1, slots: 1, ms: 1_000 }],
      workers: 4,
      slots: 8,
    });
    contest.run(10_000);
    const urgent = buildSpec({ tenant: 'urgent', class: 0, request: { slots: 8 } });
    contest.submit(urgent, 1_000);
    contest.run(5_000);
    expect(contest.partOf('urgent')).toBeGreaterThan(0);
    // The worker that was kept for it goes back to the others.
    expect(contest.harness.engine.core.reservations.size).toBe(0);
  });
});
