import { createMemoryStore } from '@signalbox/store/memory';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  backfillSchedule,
  listRuns,
  pauseSchedule,
  resumeSchedule,
  saveSchedule,
  scheduleTimeline,
} from '../index.ts';
import { caller, SmallNode } from '../testing/small-node.ts';
import { liveSchedule, readSchedule } from './schedules.ts';

const MINUTE = 60_000;
const PAUSED_MS = 20 * MINUTE;

/** How far the store's clock is behind: what is saved meanwhile was saved that long ago. */
let behindMs: number;
let node: SmallNode;

beforeEach(() => {
  behindMs = PAUSED_MS;
});
afterEach(() => node.stop());

/** A schedule of every minute that was paused a while ago, on a node that has started since. */
async function pausedSchedule(afterPause: 'next' | 'catchUp'): Promise<void> {
  const disk = createMemoryStore({ now: () => Date.now() - behindMs });
  node = await SmallNode.start({ disk });
  await node.define('mail');
  const anchorAt = '2026-01-01T00:00:30Z';
  const definition = { job: 'mail', every: MINUTE, anchorAt, afterPause };
  await saveSchedule(node.context, caller(), { name: 'beat', definition });
  await pauseSchedule(node.context, caller(), { name: 'beat' });
  await node.stop();
  behindMs = 0;
  node = await SmallNode.start({ disk });
  const saved = await readSchedule(node.context, caller(), 'beat');
  while (liveSchedule(node.context, saved)?.version !== saved.version) {
    await node.context.loop.schedules.refresh();
  }
}

const fill = (more: object = {}) => {
  const [from, until] = [Date.now() - 10 * MINUTE, Date.now()].map((ms) =>
    new Date(ms).toISOString(),
  ) as [string, string];
  return backfillSchedule(node.context, caller(), { name: 'beat', from, until, ...more });
};
const runCount = async () =>
  (await listRuns(node.context, caller(), { job: 'mail', limit: 100 })).items.length;

describe('a backfill of a schedule that is paused', () => {
  it('includes the windows of the pause, and the end of the pause repeats none of them', async () => {
    await pausedSchedule('next');
    const dry = await fill({ dryRun: true });
    expect(dry).toMatchObject({ windows: 10, missing: 10 });
    expect(dry.leftOut).toBeUndefined();
    const done = await fill();
    expect(done.items).toHaveLength(10);
    expect(await runCount()).toBe(10);
    await resumeSchedule(node.context, caller(), { name: 'beat' });
    const last = Date.parse(done.items.at(-1)?.window ?? '');
    const { items } = await scheduleTimeline(node.context, caller(), { name: 'beat' });
    const passed = items.find(({ reason }) => reason === 'paused');
    expect(Date.parse(passed?.until ?? '')).toBeGreaterThanOrEqual(last);
    const filled = items.filter(({ state }) => state === 'backfilled');
    expect(filled.map(({ window }) => window).sort()).toEqual(
      done.items.map(({ window }) => window).sort(),
    );
    const again = await fill({ until: done.items.at(-1)?.window });
    expect(again.items).toEqual([]);
  });

  it('leaves out, and counts, windows that the end of the pause catches up', async () => {
    await pausedSchedule('catchUp');
    const done = await fill();
    expect(done).toMatchObject({ windows: 0, missing: 0, leftOut: 10, items: [] });
    expect(await runCount()).toBe(0);
    await resumeSchedule(node.context, caller(), { name: 'beat' });
    // Three are caught up; the others can be filled in now, each once.
    while ((await runCount()) < 3) await new Promise((resolve) => setImmediate(resolve));
    const until = new Date(Date.now() - MINUTE).toISOString();
    const after = await fill({ until });
    expect(after.missing + after.existing.length).toBe(after.windows);
    expect(after.existing.length).toBeGreaterThanOrEqual(2);
    expect(after.leftOut).toBeUndefined();
  });
});
