import { describe, expect, it } from 'vitest';
import type { Answer } from '../commands.ts';
import { HOUR, MINUTE, NOON, Scheduled } from '../testing/scheduled.ts';

const expects = { trigger: 'files', bufferMs: 30 * MINUTE, late: 'run' } as const;

function setup(own: Partial<typeof expects | { late: 'skip'; bufferMs: number }> = {}): Scheduled {
  const h = new Scheduled();
  h.save({ expects: { ...expects, ...own } });
  return h;
}

function event(h: Scheduled, id: string): Answer {
  const head = {
    key: `event:${id}`,
    expects: 'nightly',
    trigger: { kind: 'event', of: 'files' },
    event: { source: '/files', id, type: 'file' },
  };
  return h.trySubmit({ head });
}

const skips = (h: Scheduled) => h.skipped.map(({ from, reason }) => [(from - NOON) / HOUR, reason]);

describe('an expected event', () => {
  it('TRG-24 no event by the expected time and the buffer: a run starts and says so, once', () => {
    const h = setup();
    h.advance(MINUTE + 30 * MINUTE - 1);
    expect(h.fired).toEqual([]);
    h.advance(1);
    expect(h.fired).toMatchObject([{ window: NOON, planned: NOON + 30 * MINUTE }]);
    h.advance(29 * MINUTE);
    expect(h.fired).toHaveLength(1);
    const [run] = h.factsOf('runSubmitted');
    expect(run?.run.head).toMatchObject({
      trigger: { kind: 'no_event', of: 'files' },
      window: { schedule: 'nightly', at: NOON },
    });
  });

  it('TRG-24 an event before, at or within the buffer keeps its window from firing', () => {
    const h = setup();
    expect(event(h, 'early').kind).toBe('accepted');
    h.advance(MINUTE + HOUR + 29 * MINUTE);
    expect(event(h, 'in the buffer').kind).toBe('accepted');
    h.advance(2 * HOUR);
    expect(skips(h)).toEqual([
      [0, 'event_came'],
      [1, 'event_came'],
    ]);
    expect(h.firedHours).toEqual([2]);
  });

  it('a second event of one window is a run of its own, and does not stand for the next window', () => {
    const h = setup();
    event(h, 'a');
    expect(event(h, 'b').kind).toBe('accepted');
    h.advance(MINUTE + HOUR + 30 * MINUTE);
    expect(skips(h)).toEqual([[0, 'event_came']]);
    expect(h.firedHours).toEqual([1]);
  });

  it('a late event starts a run and leaves the next window alone', () => {
    const h = setup({ bufferMs: 5 * MINUTE });
    h.advance(MINUTE + 10 * MINUTE);
    expect(h.firedHours).toEqual([0]);
    expect(event(h, 'late').kind).toBe('accepted');
    h.advance(HOUR);
    expect(h.firedHours).toEqual([0, 1]);
  });

  it('a late event is answered with the run that stood in for it, where the trigger says so', () => {
    const h = setup({ bufferMs: 5 * MINUTE, late: 'skip' });
    h.advance(MINUTE + 10 * MINUTE);
    const [stoodIn] = h.factsOf('runSubmitted');
    expect(event(h, 'late')).toMatchObject({ kind: 'duplicate', seq: stoodIn?.run.seq });
    // Nearer to the next window than to the one that was given up.
    h.advance(25 * MINUTE);
    expect(event(h, 'early').kind).toBe('accepted');
    h.advance(HOUR);
    expect(skips(h)).toEqual([[1, 'event_came']]);
  });

  it('a buffer longer than the gap between windows keeps them in order', () => {
    const h = setup({ bufferMs: 150 * MINUTE });
    h.advance(MINUTE + 2 * HOUR);
    event(h, 'a');
    event(h, 'b');
    h.advance(4 * HOUR);
    expect(skips(h)).toEqual([
      [0, 'event_came'],
      [1, 'event_came'],
    ]);
    expect(h.firedHours).toEqual([2, 3]);
  });

  it('TRG-24 whoever takes over knows which windows are met, and fires the others in their time', () => {
    const h = setup();
    event(h, 'a');
    h.advance(MINUTE + 10 * MINUTE);
    h.takeOver({ checkpoint: h.saveCheckpoint() });
    h.advance(20 * MINUTE);
    expect(skips(h)).toEqual([[0, 'event_came']]);
    h.advance(40 * MINUTE);
    h.away(0);
    h.advance(20 * MINUTE);
    expect(h.firedHours).toEqual([1]);
    h.takeOver({ checkpoint: h.saveCheckpoint() });
    h.advance(25 * MINUTE);
    expect(h.firedHours).toEqual([1]);
  });

  it('an event that the store refused has met nothing', () => {
    const h = setup();
    const answer = event(h, 'known');
    if (answer.kind !== 'accepted') throw new Error(answer.kind);
    const [fact] = h.flush().facts.filter((each) => each.kind === 'runSubmitted');
    if (fact?.kind !== 'runSubmitted') throw new Error('no submission');
    h.apply({ kind: 'withdraw', partition: 0, submitted: fact.run, lane: null });
    h.advance(MINUTE + 30 * MINUTE);
    expect(h.firedHours).toEqual([0]);
  });

  it('an edit inside the buffer keeps the window waiting; new times end it with a reason', () => {
    const h = setup();
    h.advance(MINUTE + 10 * MINUTE);
    h.save({ expects: { ...expects, bufferMs: 45 * MINUTE } });
    h.advance(25 * MINUTE);
    expect(h.fired).toEqual([]);
    h.advance(10 * MINUTE);
    expect(h.firedHours).toEqual([0]);
    h.advance(20 * MINUTE);
    h.save({ when: { kind: 'interval', everyMs: HOUR, anchorAt: NOON + 30 * MINUTE } });
    h.flush();
    expect(skips(h)).toEqual([[1, 'edited']]);
    h.advance(HOUR + 15 * MINUTE);
    expect(h.fired.map(({ window }) => (window - NOON) / HOUR)).toEqual([0, 1.5]);
  });

  it('a shorter buffer fires at once what is now over', () => {
    const h = setup();
    h.advance(MINUTE + 20 * MINUTE);
    h.save({ expects: { ...expects, bufferMs: 10 * MINUTE } });
    h.advance(1);
    expect(h.firedHours).toEqual([0]);
  });

  it('a new one expects nothing of before it was saved', () => {
    const h = new Scheduled();
    h.advance(MINUTE + 10 * MINUTE);
    h.save({ expects });
    h.advance(HOUR);
    expect(h.fired).toEqual([]);
    h.advance(20 * MINUTE);
    expect(h.firedHours).toEqual([1]);
  });
});

describe('an event that came for a window of a version that expects none any more', () => {
  it.each([
    ['on one node', () => {}],
    ['by the facts', (h: Scheduled) => h.takeOver()],
    ['by a checkpoint', (h: Scheduled) => h.takeOver({ checkpoint: h.saveCheckpoint() })],
  ])('leaves the window to that version, which fires: %s', (_how, takeOver) => {
    const h = setup();
    expect(event(h, 'early').kind).toBe('accepted');
    h.flush();
    const { expects: _, ...plain } = h.schedule().spec;
    h.setSchedule('nightly', plain, h.now);
    h.flush();
    takeOver(h);
    h.advance(MINUTE + HOUR);
    expect([skips(h), h.firedHours]).toEqual([[], [0, 1]]);
  });
});
