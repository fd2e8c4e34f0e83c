import { describe, expect, it } from 'vitest';
import { decodeGroup } from '../facts/decode-group.ts';
import { DAY, HOUR, MINUTE, NOON, Scheduled } from '../testing/scheduled.ts';

const cron = (expr: string) => ({ kind: 'cron', expr, zone: 'UTC' }) as const;

describe('a schedule', () => {
  it('TRG-03 fires once a day at two for 400 days', () => {
    const h = new Scheduled();
    h.save({ when: cron('0 2 * * *') });
    for (let day = 0; day < 400; day++) h.advance(DAY);
    expect(h.fired.length).toBe(400);
    expect(h.fired.every(({ window, at }) => window % DAY === 2 * HOUR && at === window)).toBe(
      true,
    );
    expect(h.fired.every(({ window }, i) => window === h.fired[0]!.window + i * DAY)).toBe(true);
  }, 120_000);

  it('TRG-04 fires every ten seconds without drift after 10,000 fires', () => {
    const h = new Scheduled();
    h.save({ when: cron('*/10 * * * * *') });
    h.advance(100_000_000);
    expect(h.fired.length).toBe(10_000);
    expect(h.fired.every(({ window, at }) => window % 10_000 === 0 && at === window)).toBe(true);
  });

  it('TRG-13 writes the mark and the run in one group, never one without the other', () => {
    const h = new Scheduled();
    h.save();
    h.save({ name: 'other', overlap: 'allow' });
    h.advance(50 * HOUR);
    let marks = 0;
    for (const [i, { body }] of h.store.groups.entries()) {
      const fired = decodeGroup(0, body).flatMap((packed) =>
        packed.kind === 'scheduleFact' && packed.fact.kind === 'windowFired'
          ? [[packed.fact.schedule, packed.fact.window, packed.fact.run]]
          : [],
      );
      const made = h.store.encoded[i]!.runs.map(({ head, id }) => {
        const { window } = JSON.parse(head);
        return [window.schedule, window.at, id.seq];
      });
      expect(fired).toEqual(made);
      marks += fired.length;
    }
    expect(marks).toBe(100);
  });

  it('tells its run the window, the plan and what started it, with the input and class it names', () => {
    const h = new Scheduled();
    h.endsRuns = false;
    h.save({ input: '{"a":"é"}', class: 0 });
    h.advance(MINUTE);
    const run = h.run(1);
    expect(run.head).toEqual({
      trigger: { kind: 'schedule', of: 'nightly' },
      window: { schedule: 'nightly', at: NOON, planned: NOON },
    });
    expect(run.class).toBe(0);
    expect(new TextDecoder().decode(run.input!)).toBe('{"a":"é"}');
  });

  it('TRG-09 TRG-10 starts after its jitter, and plans the same start after a take-over', () => {
    const h = new Scheduled();
    h.save({ jitterMs: 300_000 });
    h.advance(MINUTE + 1);
    const { timerAt: planned } = h.schedule();
    expect(planned).toBeGreaterThan(NOON);
    expect(planned).toBeLessThan(NOON + 300_000);
    expect(h.fired).toEqual([]);
    h.takeOver();
    expect(h.schedule().timerAt).toBe(planned);
    h.advance(HOUR / 2);
    expect(h.fired).toMatchObject([{ window: NOON, planned, at: planned }]);
  });

  it.each([
    ['over 300 s', 300_000, 300],
    ['in the same second', 0, 1],
  ])('TRG-09 20,000 of one midnight start %s with a jitter of %d ms', (_how, jitterMs, spread) => {
    const h = new Scheduled();
    h.endsRuns = false;
    for (let i = 0; i < 20_000; i++) h.save({ name: `s${i}`, jitterMs, when: cron('0 0 * * *') });
    const midnight = NOON - (NOON % DAY) + DAY;
    const perSecond = new Map<number, number>();
    for (h.now = midnight - 1; h.now < midnight + 301_000; h.now += 1_000) {
      do h.tick();
      while ((h.engine.nextWakeAt() ?? Number.POSITIVE_INFINITY) <= h.now);
      const started = h.facts.splice(0).filter(({ kind }) => kind === 'windowFired').length;
      if (started > 0) perSecond.set(h.now, started);
    }
    const counts = [...perSecond.values()];
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(20_000);
    expect(perSecond.has(midnight - 1)).toBe(false);
    expect(counts).toHaveLength(spread);
    expect(Math.max(...counts)).toBeLessThanOrEqual((3 * 20_000) / spread);
  });

  it('ends after its last instant, and after so many runs, without an alarm', () => {
    const h = new Scheduled();
    h.save({ name: 'dated', endAt: NOON + 2 * HOUR, startAt: NOON + HOUR });
    h.save({ name: 'counted', runsMax: 3 });
    h.advance(20 * HOUR);
    const hoursOf = (name: string) =>
      h.fired.flatMap((f) => (f.schedule === name ? [(f.window - NOON) / HOUR] : []));
    expect(hoursOf('dated')).toEqual([1, 2]);
    expect(hoursOf('counted')).toEqual([0, 1, 2]);
    expect(h.effectsOf('alert')).toEqual([]);
  });

  it('U030 raises an alarm if it has no next window though it was not meant to end', () => {
    const h = new Scheduled({ zoneOf: () => ({ name: 'x', spanAt: () => nowhere }) });
    const nowhere = { startMs: -Infinity, endMs: Infinity, offsetMs: 0 };
    h.save({ when: { ...cron('0 0 1 1 *'), calendar: { blackouts: ['01-01'] } } });
    h.flush();
    expect(h.effectsOf('alert')).toEqual([
      {
        kind: 'alert',
        alert: 'scheduleWithoutNext',
        about: {
          ...{ tenant: 'acme', job: expect.any(String), schedule: 'nightly' },
          since: expect.any(Number),
        },
      },
    ]);
  });

  it.each(['failed', 'cancelled', 'endless'])(
    'U030 computes its next window from its own times, whatever became of the run before: %s',
    (end) => {
      const h = new Scheduled();
      h.endsRuns = false;
      h.save({ overlap: 'allow' });
      h.addWorker({ total: { slots: 100 } });
      for (let hour = 0; hour < 10; hour++) {
        h.advance(MINUTE);
        for (const attempt of h.acceptAll()) {
          if (end === 'failed') h.fail(attempt, { class: 'permanent' });
        }
        if (end === 'cancelled') h.endRuns();
        h.advance(HOUR - MINUTE);
      }
      expect(h.firedHours).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    },
  );

  it('U041 that cannot be computed is set aside with an alarm; the others do not notice', () => {
    const h = new Scheduled();
    h.save({ name: 'bad', when: { ...cron('0 * * * *'), zone: 'Nowhere/Here' } });
    h.save({ name: 'worse', when: cron('not a cron') });
    h.save({ name: 'good' });
    h.advance(10 * HOUR);
    expect(h.fired.map(({ schedule }) => schedule)).toEqual(new Array(10).fill('good'));
    const alerts = h.effectsOf('alert');
    expect(new Set(alerts.map(({ alert }) => alert))).toEqual(new Set(['scheduleFailed']));
    expect(alerts[0]?.about).toMatchObject({ tenant: 'acme', schedule: 'bad' });
    // It can be mended.
    h.save({ name: 'bad', when: cron('0 * * * *') });
    h.advance(HOUR);
    expect(h.fired.filter(({ schedule }) => schedule === 'bad')).toHaveLength(1);
  });

  it('TRG-02 reaches any distance: a window in fifty years waits with one timer', () => {
    const h = new Scheduled();
    const at = NOON + 50 * 365 * DAY;
    h.save({ when: { kind: 'instant', at } });
    h.flush();
    h.now = at - 1;
    h.tick();
    expect(h.fired).toEqual([]);
    h.now = at;
    h.tick();
    expect(h.fired).toMatchObject([{ window: at, at }]);
  });

  it('U046 one instant that has just passed runs at once, an old one by policy, all recorded', () => {
    const h = new Scheduled();
    const instant = (agoMs: number) => ({ when: { kind: 'instant', at: h.now - agoMs } as const });
    const off = { catchUp: { windowsMax: 0, ageMsMax: DAY, order: 'newest' } as const };
    h.save({ name: 'justNow', ...instant(5_000), ...off });
    h.save({ name: 'older', ...instant(HOUR) });
    h.save({ name: 'oldOff', ...instant(HOUR), ...off });
    h.save({ name: 'ancient', ...instant(40 * DAY) });
    h.tick();
    expect(h.fired.map((f) => [f.schedule, f.catchUp]).sort()).toEqual([
      ['justNow', false],
      ['older', true],
    ]);
    expect(h.skipped.map((s) => [s.schedule, s.reason]).sort()).toEqual([
      ['ancient', 'too_old'],
      ['oldOff', 'catch_up_off'],
    ]);
  });

  it('waits for its job to be known, and skips with a reason while it is paused or deleted', () => {
    const h = new Scheduled();
    h.save();
    h.advance(MINUTE);
    for (const head of [{ kind: 'paused' }, { kind: 'deleted' }] as const) {
      h.apply({ kind: 'setJob', partition: 0, tenant: 'acme', job: 'job', head });
      h.advance(HOUR);
    }
    h.apply({ kind: 'setJob', partition: 0, tenant: 'acme', job: 'job', head: h.head });
    h.advance(HOUR);
    expect(h.firedHours).toEqual([0, 3]);
    expect(h.skipped.map(({ reason }) => reason)).toEqual(['job_paused', 'job_deleted']);
  });

  it('TRG-26 a run by hand uses up no window', () => {
    const h = new Scheduled();
    h.save();
    h.trySubmit({ head: { trigger: { kind: 'manual', by: 'ann', of: 'nightly' } } });
    h.advance(3 * HOUR);
    expect(h.firedHours).toEqual([0, 1, 2]);
  });
});

describe('while the store is away', () => {
  it('U036 windows are late and not lost, memory stays bounded, and it is said how late', () => {
    const h = new Scheduled();
    h.save({ catchUp: { windowsMax: 10, ageMsMax: DAY, order: 'newest' } });
    h.advance(MINUTE);
    h.apply({ kind: 'pauseFrom', class: 0 });
    h.advance(2 * HOUR + 10 * MINUTE);
    expect(h.firedHours).toEqual([0]);
    expect(h.flush().facts).toEqual([]);
    h.apply({ kind: 'pauseFrom', class: 3 });
    h.step();
    expect(h.firedHours).toEqual([0, 1, 2]);
    expect(h.fired.map(({ at, planned }) => at - planned)).toEqual([0, 70 * MINUTE, 10 * MINUTE]);
    expect(h.effectsOf('alert').map(({ alert }) => alert)).toEqual(['windowLate', 'windowLate']);
  });

  it('U045 no more is caught up than the bound allows once it is back', () => {
    const h = new Scheduled();
    h.save();
    h.advance(MINUTE);
    h.apply({ kind: 'pauseFrom', class: 0 });
    h.advance(10 * HOUR + 10 * MINUTE);
    h.apply({ kind: 'pauseFrom', class: 3 });
    h.step();
    // Three are caught up, and the tenth is within its grace.
    expect(h.firedHours).toEqual([0, 8, 9, 10]);
    expect(h.skipped).toMatchObject([{ from: NOON + HOUR, count: 7, reason: 'catch_up_limit' }]);
  });
});
