import type { RunId } from '@signalbox/engine';
import type { EndRow, RunRow, Store } from '@signalbox/store';
import { createMemoryStore } from '@signalbox/store/memory';
import { describe, expect, it } from 'vitest';
import { type RetentionClocks, readJournalTime } from './clocks.ts';
import { sweep } from './retention.ts';

const DAY = 86_400_000;
const HOUR = 3_600_000;
const SETTINGS = { historyMs: 10 * DAY, keysMs: 2 * DAY, factsMs: HOUR, everyMs: DAY };

describe('retention', () => {
  it('RET-08 drops segments that are old and ended, keeps those with a live run, forgets old keys', async () => {
    const clock = { now: 1_800_000_000_000 };
    const store = createMemoryStore({ now: () => clock.now });
    await store.migrate();
    const lease = await store.acquireLease({ partition: 0, owner: 'a', ttlMs: 1, commitId: 'c0' });
    if (lease.kind !== 'acquired') throw new Error('not acquired');
    const ended = runAt(clock.now, 1);
    const live = runAt(clock.now + DAY, 2);
    const recent = runAt(clock.now + 13 * DAY, 3);
    await commit(store, lease, { runs: [ended, live, recent], ends: [ended, recent] });

    clock.now += 14 * DAY;
    const swept = await sweep(store, SETTINGS);
    expect(swept).toMatchObject({ segments: 0, keys: 1, heldBy: { openRuns: 1 } });
    clock.now += HOUR;
    expect(await sweep(store, SETTINGS)).toMatchObject({ segments: 1, heldBy: { openRuns: 1 } });
    expect(await store.getRun({ tenant: 't', id: ended.id })).toBeNull();
    expect(await store.getRun({ tenant: 't', id: live.id })).not.toBeNull();
    expect(await store.getRun({ tenant: 't', id: recent.id })).not.toBeNull();
    const keys = [1, 2, 3].map((n) => ({ tenant: 't', key: `key ${n}` }));
    expect(await store.readKeys(keys)).toEqual([
      { tenant: 't', key: 'key 2', run: live.id },
      { tenant: 't', key: 'key 3', run: recent.id },
    ]);
    expect(await sweep(store, SETTINGS)).toMatchObject({ segments: 0, keys: 0 });
  });

  it('keeps a run that ended a moment ago for as long as the facts that name it', async () => {
    const { store, clock, nowMs } = await used();
    const old = segmentOf(nowMs - 20 * DAY);
    const starts = async () => (await store.listSegments()).map(({ fromMs }) => fromMs);
    for (const _ of [1, 2, 3]) await sweep(store, SETTINGS);
    clock.now += HOUR - 1;
    await sweep(store, SETTINGS);
    expect(await starts()).toContain(old);
    clock.now += 1;
    await sweep(store, SETTINGS);
    expect(await starts()).not.toContain(old);
  });

  it('keeps a key for its time by the clock of every node, also one that follows a step slowly', async () => {
    const clock = { now: 1_800_000_000_000 };
    const store = createMemoryStore({ now: () => clock.now });
    await store.migrate();
    const lease = await store.acquireLease({ partition: 0, owner: 'a', ttlMs: 1, commitId: 'c0' });
    if (lease.kind !== 'acquired') throw new Error('not acquired');
    const run = runAt(clock.now - 1.5 * HOUR, 1);
    await commit(store, lease, { runs: [run], ends: [run] });
    const held = () => store.readKeys([{ tenant: 't', key: 'key 1' }]);
    clock.now += SETTINGS.keysMs;
    await sweep(store, SETTINGS, { clocks: clocksAt(clock.now) });
    expect(await held()).toHaveLength(1);
    clock.now += 2 * HOUR;
    await sweep(store, SETTINGS, { clocks: clocksAt(clock.now) });
    expect(await held()).toHaveLength(0);
  });

  it('RET-01 keeps every version of definitions and schedules, also after a century', async () => {
    const { store, clock, nowMs } = await used();
    const kinds = ['job', 'schedule', 'trigger', 'calendar', 'tenant'];
    const key = (kind: string) => ({ tenant: 't', kind, name: 'nightly' });
    for (const kind of kinds) {
      for (const version of [1, 2, 3]) {
        const change = { ...key(kind), author: 'ann' };
        const body = `{"version":${version}}`;
        await store.putDefinition({ ...change, expectedVersion: version - 1, body });
      }
      // Deleted softly: that is one more version.
      await store.deleteDefinition({ ...key(kind), expectedVersion: 3, author: 'ann' });
    }
    for (let year = 1; year <= 100; year++) {
      clock.now = nowMs + year * 365 * DAY;
      await sweep(store, { ...SETTINGS, historyMs: DAY, keysMs: DAY });
    }
    expect((await store.listSegments()).map(({ fromMs }) => fromMs)).not.toContain(
      segmentOf(nowMs),
    );
    for (const kind of kinds) {
      for (const version of [1, 2, 3]) {
        const found = await store.getDefinition({ ...key(kind), version });
        expect(found).toMatchObject({ version, body: `{"version":${version}}`, deleted: false });
      }
      expect(await store.getDefinition(key(kind))).toMatchObject({ version: 4, deleted: true });
    }
  });

  it('RET-08 drops nothing under a store clock that is 92 days ahead, and says why', async () => {
    const { store, clock, commitRun, nowMs } = await used();
    clock.now = nowMs + 92 * DAY;
    const before = await store.listSegments();
    const clocks = clocksAt(nowMs);
    const settings = { ...SETTINGS, historyMs: 90 * DAY };
    expect(await sweep(store, settings, { clocks })).toEqual({
      kind: 'refused',
      clocks: { storeMs: clock.now, calendarMs: nowMs, serverMs: nowMs },
    });
    expect(await store.listSegments()).toEqual(before);
    clock.now = nowMs;
    await commitRun(nowMs);
    await commitRun(nowMs + DAY);
  });

  it('RET-08 drops nothing where the clock of the machine was stepped while the node runs', async () => {
    const { store, clock, nowMs } = await used();
    clock.now = nowMs + 92 * DAY;
    const clocks = { ...clocksAt(nowMs), calendarMs: () => clock.now };
    expect(await sweep(store, SETTINGS, { clocks })).toMatchObject({ kind: 'refused' });
    const behind = { ...clocksAt(clock.now), calendarMs: () => Number.NaN };
    expect(await sweep(store, SETTINGS, { clocks: behind })).toMatchObject({ kind: 'refused' });
  });

  it('RET-08 believes a clock that is ahead of the journal only after a day', async () => {
    const { store, clock, commitRun, nowMs } = await used();
    clock.now = nowMs + 92 * DAY;
    let monotonicMs = 5_000;
    const journal = await readJournalTime(store, monotonicMs);
    const clocks = { ...clocksAt(clock.now), monotonicMs: () => monotonicMs, journal };
    const starts = async () => (await store.listSegments()).map(({ fromMs }) => fromMs);
    const present = segmentOf(nowMs);
    await sweep(store, SETTINGS, { clocks });
    expect(await starts()).toContain(present);
    await commitRun(nowMs);
    monotonicMs += DAY;
    await sweep(store, SETTINGS, { clocks });
    clock.now += HOUR;
    const later = { ...clocksAt(clock.now), monotonicMs: () => monotonicMs, journal };
    await sweep(store, SETTINGS, { clocks: later });
    expect(await starts()).not.toContain(present);
  });

  it('RET-08 goes by the earliest clock, and never drops what has just passed', async () => {
    const { store, clock, commitRun, nowMs } = await used();
    const midnight = segmentOf(nowMs) + DAY;
    clock.now = midnight + HOUR / 2;
    const settings = { ...SETTINGS, historyMs: 1 };
    const late = { ...clocksAt(clock.now), calendarMs: () => midnight - HOUR / 2 };
    const starts = async () => (await store.listSegments()).map(({ fromMs }) => fromMs);
    await sweep(store, settings, { clocks: late });
    await sweep(store, settings, { clocks: clocksAt(clock.now) });
    expect(await starts()).toContain(segmentOf(nowMs));
    await commitRun(midnight - 1);
    clock.now = midnight + 3 * HOUR;
    await sweep(store, settings, { clocks: clocksAt(clock.now) });
    clock.now += HOUR;
    await sweep(store, settings, { clocks: clocksAt(clock.now) });
    expect(await starts()).not.toContain(segmentOf(nowMs));
  });
});

function segmentOf(ms: number): number {
  return ms - (ms % DAY);
}

function clocksAt(ms: number): RetentionClocks {
  return { calendarMs: () => ms, serverMs: () => ms, monotonicMs: () => 0, journal: null };
}

/** A store with an ended run of twenty days ago and one of now. */
async function used() {
  const nowMs = 1_800_000_000_000;
  const clock = { now: nowMs };
  const store = createMemoryStore({ now: () => clock.now });
  await store.migrate();
  await store.ensureSegments({ untilMs: nowMs + 2 * DAY });
  const lease = await store.acquireLease({ partition: 0, owner: 'a', ttlMs: 1, commitId: 'c0' });
  if (lease.kind !== 'acquired') throw new Error('not acquired');
  let { seq } = lease;
  const commitRun = async (ms: number): Promise<void> => {
    const run = runAt(ms, seq);
    await commit(store, { epoch: lease.epoch, seq }, { runs: [run], ends: [run] });
    seq += 1;
  };
  await commitRun(nowMs - 20 * DAY);
  await commitRun(nowMs);
  return { store, clock, commitRun, nowMs };
}

function runAt(ms: number, seq: number): RunRow {
  const id: RunId = { ms, partition: 0, seq };
  const rest = { job: 'j', jobVersion: 1, class: 1, head: '', inputBytes: 0, input: null } as const;
  return { id, tenant: 't', ...rest, keys: [`key ${seq}`] };
}

async function commit(
  store: Store,
  lease: { epoch: number; seq: number },
  rows: { runs: RunRow[]; ends: RunRow[] },
): Promise<void> {
  const ends = rows.ends.map(({ id, tenant }): EndRow => {
    return { id, tenant, state: 'SUCCEEDED', endedAtMs: id.ms, detail: '', output: null };
  });
  const head = { partition: 0, epoch: lease.epoch, seq: lease.seq + 1, atMs: 0, factCount: 1 };
  const body = new Uint8Array(1);
  const part = { ...head, body, runs: rows.runs, ends, parked: [], inboxTaken: [], aliases: [] };
  const answer = await store.append({ commitId: 'c1', parts: [part] });
  expect(answer).toEqual({ kind: 'committed' });
}
