import { describe, expect, it } from 'vitest';
import { collectGarbage, processorMs } from '../../../../tools/testing/processor-time.ts';
import { UTC, type Zone } from '../cron/zone.ts';
import { Engine } from '../engine.ts';
import { Book } from '../model/book.ts';
import { seededRandom } from '../model/random.ts';
import { DEFAULT_SCHEDULE, type When } from '../model/schedule.ts';
import { DEFAULT_SETTINGS } from '../settings.ts';
import { buildSpec } from '../testing/builders.ts';
import { DAY, HOUR, MINUTE, NOON, Scheduled } from '../testing/scheduled.ts';

/** A zone that counts how often it is asked: every computed window asks it. */
function countingZone(): { zone: Zone; asked: () => number } {
  let count = 0;
  const spanAt: Zone['spanAt'] = (ms) => {
    count++;
    return UTC.spanAt(ms);
  };
  return { zone: { name: 'UTC', spanAt }, asked: () => count };
}

/** What each tick and each step of the engine did until nothing was left; nothing is due twice. */
function drain(h: Scheduled, asked: () => number) {
  const most = { facts: 0, asked: 0, armed: 0 };
  let steps = 0;
  const note = (act: () => boolean): boolean => {
    const before = { asked: asked(), armed: h.engine.core.wheel.size };
    const more = act();
    const { facts } = h.flush();
    most.facts = Math.max(most.facts, facts.length);
    most.asked = Math.max(most.asked, asked() - before.asked);
    most.armed = Math.max(most.armed, before.armed - h.engine.core.wheel.size);
    return more;
  };
  for (let more = true; more; steps++) {
    note(() => h.apply({ kind: 'tick' }).kind === 'refused');
    more = note(() => h.engine.schedule(h.now, h.random));
    more ||= (h.engine.nextWakeAt() ?? Number.POSITIVE_INFINITY) <= h.now;
    if (h.tellJobs() > 0) more = true;
  }
  return { ...most, steps };
}

const { schedulesPerStep, timersPerTick } = DEFAULT_SETTINGS;

describe('the work of one step', () => {
  it('TRG-22 is bounded though 20,000 schedules are due at one instant, and none is lost', () => {
    const { zone, asked } = countingZone();
    const h = new Scheduled({ zoneOf: () => zone });
    h.endsRuns = false;
    for (let i = 0; i < 20_000; i++) {
      h.save({ name: `s${i}`, when: { kind: 'cron', expr: '0 0 * * *', zone: 'UTC' } });
    }
    h.flush();
    h.facts.length = 0;
    h.now = NOON - (NOON % DAY) + DAY;
    const most = drain(h, asked);
    expect(h.fired).toHaveLength(20_000);
    expect(most.facts).toBeLessThanOrEqual(2 * schedulesPerStep);
    expect(most.armed).toBeLessThanOrEqual(timersPerTick);
    // A window, the one after it to arm, and what tells whether it is the newest.
    expect(most.asked).toBeLessThanOrEqual(8 * schedulesPerStep);
    expect(most.steps).toBeGreaterThanOrEqual(20_000 / schedulesPerStep);
  });

  it('TRG-22 windows start at their millisecond beside 200,000 schedules in 15 partitions', () => {
    const partitions = 15;
    const engine = new Engine({}, () => UTC);
    const random = seededRandom(1);
    let now = NOON;
    for (let partition = 0; partition < partitions; partition++) {
      engine.apply({ kind: 'takePartition', book: new Book(partition, 1) }, now, random);
    }
    const save = (i: number, name: string, when: When): void => {
      const partition = i % partitions;
      const spec = { ...DEFAULT_SCHEDULE, job: `job-${partition}`, when };
      const of = { partition, tenant: 'acme', schedule: name, version: 1, savedAt: now };
      engine.apply({ kind: 'setSchedule', ...of, spec }, now, random);
      if (i % 5_000 === 0) engine.take(1);
    };
    for (let i = 0; i < 200_000; i++) {
      const expr = `${i % 60} ${Math.floor(i / 60) % 24} * * *`;
      save(i, `s${i}`, { kind: 'cron', expr, zone: 'UTC' });
    }
    for (let i = 0; i < partitions; i++) {
      save(i, `second-${i}`, { kind: 'interval', everyMs: 1_000, anchorAt: NOON + i * 7 });
    }
    for (let partition = 0; partition < partitions; partition++) {
      const job = `job-${partition}`;
      const head = { kind: 'ready', spec: buildSpec({ job }) } as const;
      engine.apply({ kind: 'setJob', partition, tenant: 'acme', job, head }, now, random);
    }
    engine.take(1);
    const starts = new Map<string, number[]>();
    const late: number[] = [];
    for (const until = NOON + 65_000; now <= until; ) {
      now = Math.max(now, engine.nextWakeAt() ?? until + 1);
      engine.apply({ kind: 'tick' }, now, random);
      while (engine.schedule(now, random));
      for (const fact of engine.take(1).facts) {
        if (fact.kind !== 'windowFired') continue;
        late.push(fact.at - fact.window);
        const seen = starts.get(fact.schedule);
        if (seen === undefined) starts.set(fact.schedule, [fact.at]);
        else seen.push(fact.at);
      }
    }
    expect(late.length).toBeGreaterThan(15 * 60 + 100);
    expect(Math.max(...late)).toBe(0);
    expect(Math.min(...late)).toBe(0);
    for (let i = 0; i < partitions; i++) {
      const at = starts.get(`second-${i}`) as number[];
      const periods = at.slice(1).map((each, n) => each - (at[n] as number));
      expect(new Set(periods)).toEqual(new Set([1_000]));
      expect(at.length).toBeGreaterThanOrEqual(60);
    }
  }, 120_000);

  it('TRG-17 does not grow with 200,000 schedules that are not due, and no tick takes 50 ms', () => {
    const { zone, asked } = countingZone();
    const h = new Scheduled({ zoneOf: () => zone });
    const at = (i: number) => `${i % 60} ${Math.floor(i / 60) % 24} 1 1 *`;
    for (let i = 0; i < 200_000; i++) {
      h.save({ name: `s${i}`, when: { kind: 'cron', expr: at(i), zone: 'UTC' } });
      if (i % 5_000 === 0) h.engine.take(1);
    }
    h.save({ name: 'hourly' });
    h.engine.take(1);
    const before = asked();
    expect(h.engine.nextWakeAt()).toBe(NOON);
    collectGarbage();
    const tookMs = Array.from({ length: 100 }, (_, hour) => {
      h.now = NOON + hour * HOUR;
      return processorMs(() => h.tick());
    });
    expect(h.fired.map(({ schedule }) => schedule)).toEqual(Array(100).fill('hourly'));
    expect(asked()).toBe(before);
    expect(Math.max(...tookMs)).toBeLessThan(50);
  }, 60_000);

  it('U037 TRG-15 is bounded after 30 days of which nobody decided a minute, for 1,000 schedules', () => {
    const { zone, asked } = countingZone();
    const h = new Scheduled({ zoneOf: () => zone });
    h.endsRuns = false;
    for (let i = 0; i < 1_000; i++) {
      h.save({ name: `s${i}`, when: { kind: 'cron', expr: '* * * * *', zone: 'UTC' } });
    }
    h.flush();
    h.now += 30 * DAY;
    h.takeOver();
    h.facts.length = 0;
    const most = drain(h, asked);
    // Three are caught up, the newest is merely late; the other 43,196 are one range.
    expect(h.fired).toHaveLength(4_000);
    expect(h.skipped).toHaveLength(1_000);
    expect(most.facts).toBeLessThanOrEqual(8 * schedulesPerStep);
    expect(most.asked).toBeLessThanOrEqual(60 * schedulesPerStep);
  });

  it('is bounded where a partition with 5,000 schedules comes: they get their timers in steps', () => {
    const h = new Scheduled();
    for (let i = 0; i < 5_000; i++) {
      const when = { kind: 'interval', everyMs: HOUR, anchorAt: NOON } as const;
      h.save({ name: `s${i}`, when });
    }
    h.flush();
    h.takeOver();
    const armed = () => h.engine.core.wheel.size;
    expect(armed()).toBe(schedulesPerStep);
    let steps = 0;
    for (let before = armed(); h.engine.schedule(h.now, h.random); before = armed(), steps++) {
      expect(armed() - before).toBeLessThanOrEqual(schedulesPerStep);
    }
    expect(armed()).toBe(5_000);
    expect(steps).toBeGreaterThanOrEqual(8);
    h.advance(2 * MINUTE);
    expect(h.fired).toHaveLength(5_000);
  });

  it('a partition that leaves while its schedules get their timers leaves none behind', () => {
    const h = new Scheduled();
    for (let i = 0; i < 2_000; i++) h.save({ name: `s${i}` });
    h.flush();
    h.takeOver();
    h.apply({ kind: 'leavePartition', partition: 0 });
    while (h.engine.schedule(h.now, h.random));
    expect(h.engine.core.wheel.size).toBe(0);
  });
});
