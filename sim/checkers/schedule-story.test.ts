import type { ScheduleSpec } from '@signalbox/engine';
import { describe, expect, it } from 'vitest';
import { ScheduleStory, type Told } from './schedule-story.ts';

const MINUTE = 60_000;

const spec: ScheduleSpec = {
  job: 'mail',
  when: { kind: 'interval', everyMs: MINUTE, anchorAt: 0 },
  jitterMs: 0,
  graceMs: 10_000,
  catchUp: { windowsMax: 5, ageMsMax: 86_400_000, order: 'oldest' },
  overlap: 'allow',
  paused: false,
  afterPause: 'next',
  startAt: null,
  endAt: null,
  runsMax: null,
  class: null,
  input: null,
};

/** Version 1 is saved at 0 and version 2 at minute 2.5; the windows up to the given one fire. */
function problemsOf(windows: number, told: Told): readonly string[] {
  const saved = new Map(
    [1, 2].map((n) => [n, { savedAt: (n - 1) * 2.5 * MINUTE, t: (n - 1) * 2.5 * MINUTE }]),
  );
  const story = new ScheduleStory('t0/s0', saved);
  const of = { partition: 0, tenant: 't0', schedule: 's0', at: told.t };
  story.tell(
    { kind: 'scheduleSet', ...of, version: 1, decidedUpTo: 0, spec },
    { t: 0, ownedSince: 0 },
  );
  for (let n = 1; n <= windows; n++) {
    const window = n * MINUTE;
    const fired = { window, planned: window, run: n, catchUp: true, exclusive: false };
    story.tell({ kind: 'windowFired', ...of, ...fired }, told);
  }
  return story.problems;
}

describe('the story of a schedule whose edit is not adopted yet', () => {
  it('lets the next owner catch up windows of the time before the edit', () => {
    expect(problemsOf(2, { t: 20 * MINUTE, ownedSince: 19.9 * MINUTE })).toEqual([]);
  });

  it('has no window of that time from an owner that had long to find the edit', () => {
    const told = { t: 20 * MINUTE, ownedSince: 10 * MINUTE };
    expect(problemsOf(2, told)).toEqual([
      'schedule t0/s0: window 60000 fired long after version 2 was saved',
      'schedule t0/s0: window 120000 fired long after version 2 was saved',
    ]);
  });

  it('has no window of the time after the edit, from whichever owner', () => {
    expect(problemsOf(3, { t: 20 * MINUTE, ownedSince: 19.9 * MINUTE })).toEqual([
      'schedule t0/s0: window 180000 fired long after version 2 was saved',
    ]);
  });
});
