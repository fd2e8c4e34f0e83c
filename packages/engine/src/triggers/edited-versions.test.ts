import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assertProperty } from '../../../../tools/testing/property.ts';
import { DAY, HOUR, MINUTE, NOON, Scheduled, type ScheduleParams } from '../testing/scheduled.ts';

const every = (everyMs: number) => ({
  when: { kind: 'interval', everyMs, anchorAt: NOON } as const,
});
const ALL = { windowsMax: 1_000, ageMsMax: 31 * DAY, order: 'oldest' } as const;
const CATCHES_UP = { afterPause: 'catchUp', catchUp: ALL } as const;

/** The input that the run of each window got, by the hour of the window. */
function inputs(h: Scheduled): [hour: number, input: string][] {
  return h.fired.map(({ window, run }) => {
    const input = h.store.encoded.flatMap(({ runs }) => runs).find(({ id }) => id.seq === run);
    return [(window - NOON) / HOUR, new TextDecoder().decode(input?.input ?? new Uint8Array())];
  });
}

/** A schedule whose first run goes on until it is ended, and what it holds meanwhile. */
function busy(params: ScheduleParams): Scheduled {
  const h = new Scheduled();
  h.endsRuns = false;
  h.save({ input: '"old"', ...params });
  h.advance(MINUTE);
  return h;
}

const moves: [string, (h: Scheduled) => void][] = [
  ['by one owner', () => {}],
  [
    'across a fail-over',
    (h) => {
      h.flush();
      h.takeOver();
    },
  ],
  ['from a checkpoint', (h) => h.takeOver({ checkpoint: h.saveCheckpoint() })],
];

describe.each(moves)('an edit within a pause that is caught up, %s', (_how, move) => {
  it.each([
    ['less often', HOUR, 3 * HOUR, [0, 1, 2, 3, 4, 6, 9]],
    ['more often', 3 * HOUR, HOUR, [0, 3, 5, 6, 7, 8, 9]],
  ])('leaves every window to the version that held at its time: %s', (_name, from, to, hours) => {
    const h = new Scheduled();
    h.save({ ...every(from), ...CATCHES_UP, input: '"old"' });
    h.advance(MINUTE);
    h.save({ paused: true });
    h.advance(4 * HOUR + 30 * MINUTE);
    move(h);
    h.save({ ...every(to), input: '"new"' });
    move(h);
    h.advance(5 * HOUR);
    h.save({ paused: false });
    move(h);
    h.advance(10);
    h.flush();
    expect(inputs(h)).toEqual(hours.map((hour) => [hour, hour <= 4 ? '"old"' : '"new"']));
    expect(h.skipped).toEqual([]);
    h.advance(3 * HOUR);
    expect(h.schedule().earlier, 'nothing is kept of versions that owe nothing').toBeNull();
  });

  it('records the windows of the pause where it gives them up, or where the schedule is deleted', () => {
    for (const gives of ['next', 'deletion'] as const) {
      const h = new Scheduled();
      h.save({ ...every(HOUR), ...CATCHES_UP });
      h.advance(MINUTE);
      h.save({ paused: true });
      h.advance(2 * HOUR + 30 * MINUTE);
      h.save(every(2 * HOUR));
      h.advance(4 * HOUR);
      move(h);
      if (gives === 'next') h.save({ afterPause: 'next' });
      else h.remove();
      h.flush();
      const reason = gives === 'next' ? 'paused' : 'removed';
      expect(h.skipped).toMatchObject([
        { from: NOON + HOUR, to: NOON + 6 * HOUR, count: 4, reason },
      ]);
      expect(h.firedHours).toEqual([0]);
    }
  });

  it('keeps a bounded number of versions, and records what it cannot keep', () => {
    const h = new Scheduled();
    h.save({ ...every(HOUR), ...CATCHES_UP });
    h.advance(MINUTE);
    h.save({ paused: true });
    for (let edit = 0; edit < 45; edit++) {
      h.advance(HOUR);
      h.save({ input: `${edit}` });
    }
    move(h);
    expect(h.schedule().earlier?.length).toBeLessThanOrEqual(20);
    h.save({ paused: false });
    h.advance(10);
    h.flush();
    const skipped = h.skipped.reduce((sum, { count }) => sum + (count ?? 0), 0);
    expect(skipped).toBeGreaterThan(0);
    expect(h.skipped.every(({ reason }) => reason === 'catch_up_limit')).toBe(true);
    expect(h.fired.length + skipped).toBe(46);
  });
});

describe.each(moves)('windows that are held, %s', (_how, move) => {
  it.each(['queueOne', 'queueAll'] as const)(
    '%s: run under the version that held them',
    (overlap) => {
      const h = busy({ overlap, class: 0 });
      h.advance(HOUR);
      move(h);
      h.save({ input: '"new"', overlap: 'allow', class: 2, jitterMs: 5 * MINUTE });
      move(h);
      h.advance(30 * MINUTE);
      expect(h.firedHours, 'it still waits for its turn').toEqual([0]);
      h.endRuns();
      h.flush();
      move(h);
      h.step();
      expect(h.run(2).class).toBe(0);
      expect(h.run(2).head.window).toMatchObject({ at: NOON + HOUR, planned: NOON + HOUR });
      h.advance(HOUR);
      h.flush();
      expect(inputs(h)).toEqual([
        [0, '"old"'],
        [1, '"old"'],
        [2, '"new"'],
      ]);
      expect(h.schedule().earlier).toBeNull();
    },
  );

  it('wait while their schedule is paused, and run when it is resumed', () => {
    const h = busy({ overlap: 'queueAll', afterPause: 'next' });
    h.advance(2 * HOUR);
    h.save({ paused: true });
    move(h);
    h.endRuns();
    h.flush();
    move(h);
    h.advance(3 * HOUR);
    expect(h.firedHours).toEqual([0]);
    expect(h.schedule().held).toEqual([NOON + HOUR, NOON + 2 * HOUR]);
    h.save({ paused: false });
    move(h);
    h.step();
    expect(h.firedHours).toEqual([0, 1]);
    h.endRuns();
    h.step();
    expect(h.firedHours).toEqual([0, 1, 2]);
    expect(h.skipped).toMatchObject([{ count: 3, reason: 'paused' }]);
  });
});

describe.each(moves)(
  'an edit of the overlap policy sees the runs that are live, %s',
  (_how, move) => {
    it('allow to skip', () => {
      const h = busy({ overlap: 'allow' });
      h.advance(HOUR);
      expect(h.book.runs.size).toBe(2);
      h.save({ overlap: 'skip' });
      move(h);
      h.advance(2 * HOUR);
      expect(h.firedHours).toEqual([0, 1]);
      h.endRuns();
      h.flush();
      move(h);
      h.advance(HOUR);
      expect(h.firedHours).toEqual([0, 1, 4]);
    });

    it('allow to replace', () => {
      const h = busy({ overlap: 'allow' });
      h.advance(HOUR);
      h.save({ overlap: 'replace' });
      move(h);
      h.advance(HOUR);
      expect(h.firedHours).toEqual([0, 1, 2]);
      expect([...h.book.runs.keys()]).toEqual([3]);
    });
  },
);

it('pauses and edits at any moment: every window is decided once, under the version of its time', () => {
  const edit = fc.record({
    afterMs: fc.integer({ min: 1, max: 3 * HOUR }),
    everyMs: fc.constantFrom(7 * MINUTE, 20 * MINUTE, HOUR),
    paused: fc.boolean(),
    takesOver: fc.boolean(),
  });
  assertProperty(
    fc.property(fc.array(edit, { minLength: 1, maxLength: 10 }), (edits) => {
      const h = new Scheduled();
      const expected: [window: number, input: string][] = [];
      let version = { everyMs: HOUR, input: '"0"' };
      let from = h.now;
      h.save({ ...every(version.everyMs), ...CATCHES_UP, input: version.input });
      const close = (): void => {
        for (const window of windows(from, h.now, version.everyMs)) {
          expected.push([(window - NOON) / HOUR, version.input]);
        }
        from = h.now;
      };
      for (const [i, { afterMs, everyMs, paused, takesOver }] of edits.entries()) {
        h.advance(afterMs);
        close();
        h.flush();
        if (takesOver) h.takeOver();
        version = { everyMs, input: `"${i + 1}"` };
        h.save({ ...every(everyMs), paused, input: version.input });
      }
      h.save({ paused: false });
      h.advance(2 * HOUR);
      close();
      h.flush();
      expect(inputs(h)).toEqual(expected);
      expect(h.skipped).toEqual([]);
      expect(h.schedule().earlier).toBeNull();
    }),
    { numRuns: 60 },
  );
});

function windows(after: number, upTo: number, everyMs: number): number[] {
  const found: number[] = [];
  const first = NOON + (Math.floor((after - NOON) / everyMs) + 1) * everyMs;
  for (let window = first; window <= upTo; window += everyMs) found.push(window);
  return found;
}
