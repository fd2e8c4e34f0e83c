import type { Schedule } from '@signalbox/engine';
import type { ScheduleDefinition } from '@signalbox/protocol';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { FeedEvent } from '../../feed/feed.ts';
import {
  backfillSchedule,
  deleteSchedule,
  getRun,
  getSchedule,
  listRuns,
  listSchedules,
  pauseSchedule,
  previewSchedule,
  resumeSchedule,
  saveSchedule,
  scheduleTimeline,
  triggerSchedule,
} from '../index.ts';
import { putTenant } from '../tenants/tenants.ts';
import { caller, SmallNode } from '../testing/small-node.ts';

const MINUTE = 60_000;

let node: SmallNode;
beforeEach(async () => {
  node = await SmallNode.start();
  await node.define('mail');
});
afterEach(() => node.stop());

const save = (definition: Partial<ScheduleDefinition> = {}, more: object = {}) => {
  const full = { job: 'mail', ...('every' in definition ? {} : DAILY), ...definition };
  if ('runAt' in definition) delete (full as Partial<ScheduleDefinition>).cron;
  return saveSchedule(node.context, caller(), { name: 'nightly', definition: full, ...more });
};
const DAILY = { cron: '30 2 * * *' };
const iso = (ms: number) => new Date(ms).toISOString();

/** Resolves with the next run of the tenant. */
function nextRun(): Promise<FeedEvent> {
  return new Promise((resolve) => {
    const stop = node.feed.watch({ tenant: 'acme' }, (event) => {
      if (event.kind !== 'runSubmitted') return;
      stop();
      resolve(event);
    });
  });
}

describe('schedules', () => {
  it('gives back what was written, with its next window; the same again keeps its version', async () => {
    const definition: ScheduleDefinition = {
      job: 'mail',
      cron: '30 2 * * MON-FRI',
      timezone: 'Europe/Berlin',
      dstGap: 'skip',
      dstOverlap: 'both',
      calendar: { blackouts: ['12-25'] },
      jitter: '5s',
      overlap: 'queueOne',
      catchUp: { maxWindows: 1 },
      priority: 'P0',
      input: { to: 'all' },
      endAt: '2090-01-01T00:00:00.000Z',
    };
    const made = await save(definition);
    expect(made.outcome).toBe('created');
    expect(made.schedule).toMatchObject({
      name: 'nightly',
      version: 1,
      state: 'active',
      author: 'tester',
    });
    expect(made.schedule.definition).toEqual(definition);
    expect(Date.parse(made.schedule.next as string)).toBeGreaterThan(Date.now());
    expect((await save(definition)).outcome).toBe('unchanged');
    expect(await getSchedule(node.context, caller(), { name: 'nightly' })).toEqual(made.schedule);
    const { items } = await listSchedules(node.context, caller(), {});
    expect(items.map(({ name }) => name)).toEqual(['nightly']);
  });

  it('an edit says what it changed, from when, and which windows come instead', async () => {
    await save();
    const { schedule, outcome } = await save({ cron: '0 4 * * *', jitter: 1_000 });
    expect(outcome).toBe('changed');
    expect(schedule.change?.fields).toEqual(['jitter', 'when']);
    expect(schedule.change?.from).toBe(schedule.at);
    expect(schedule.change?.nextBefore.map((at) => at.slice(11, 16))).toEqual([
      '02:30',
      '02:30',
      '02:30',
    ]);
    expect(schedule.change?.nextAfter.map((at) => at.slice(11, 16))).toEqual([
      '04:00',
      '04:00',
      '04:00',
    ]);
  });

  it.each([
    [{ cron: '61 * * * *' }, 'definition.cron', 'invalid_schedule'],
    [{ cron: '0 0 30 2 *' }, 'definition.cron', 'invalid_schedule'],
    [{ cron: '* * * * *', timezone: 'Mars/Olympus' }, 'definition.timezone'],
    [{ cron: '* * * * *', calendar: { blackouts: ['never'] } }, 'definition.calendar.blackouts[0]'],
    [{ cron: '* * * * *', every: 5_000 }, 'definition.cron'],
    [{ every: 5_000, timezone: 'UTC' }, 'definition.timezone'],
    [{ startAt: '2030-01-02T00:00:00Z', endAt: '2030-01-01T00:00:00Z' }, 'definition.endAt'],
  ])(
    'TRG-06 TRG-08 %j is refused, and nothing is stored',
    async (definition, field, code = 'invalid') => {
      await expect(save(definition)).rejects.toMatchObject({ code, field });
      expect((await listSchedules(node.context, caller(), {})).items).toEqual([]);
    },
  );

  it('names a job that is there, and stays with it', async () => {
    await expect(save({ job: 'absent' })).rejects.toMatchObject({ code: 'not_found' });
    await save();
    await node.define('other');
    await expect(save({ job: 'other' })).rejects.toMatchObject({ field: 'definition.job' });
  });

  it.each(['isNew', 'absent'] as const)('%s: an existing one is not changed', async (field) => {
    await save({}, { expected: { [field]: true } });
    const again = save({ cron: '0 4 * * *' }, { expected: { [field]: true } });
    await expect(again).rejects.toMatchObject({
      code: field === 'isNew' ? 'conflict' : 'precondition_failed',
      message: expect.stringMatching(/a schedule named "nightly" already exists.*schedules update/),
    });
    const { version } = await getSchedule(node.context, caller(), { name: 'nightly' });
    expect(version).toBe(1);
    await deleteSchedule(node.context, caller(), { name: 'nightly' });
    expect((await save({}, { expected: { [field]: true } })).outcome).toBe('created');
  });

  it('API-12 whoever names another version than the newest changes nothing', async () => {
    await save();
    const stale = save({ cron: '0 5 * * *' }, { expected: { version: 9 } });
    await expect(stale).rejects.toMatchObject({ code: 'precondition_failed' });
    const again = save({ cron: '0 5 * * *' }, { expected: { absent: true } });
    await expect(again).rejects.toMatchObject({ code: 'precondition_failed' });
  });

  it('TRG-11 a minimum jitter of the tenant overrides what is asked for, and is seen', async () => {
    await putTenant(node.context, {
      name: 'acme',
      expected: {},
      author: 'root',
      definition: { minJitter: 300_000 },
    });
    const { schedule } = await save({ jitter: 0 });
    expect(schedule.definition.jitter).toBe('5m');
    const stored = await node.context.store.getDefinition({
      tenant: 'acme',
      kind: 'schedule',
      name: 'nightly',
    });
    expect(JSON.parse(stored?.body ?? '{}')).toMatchObject({ jitterMs: 300_000 });
    expect((await save({ jitter: '1m' })).schedule.definition.jitter).toBe('5m');
  });

  it('TRG-26 DAG-29 U063 fires by itself, under the id of its window, and by hand without using up a window', async () => {
    const first = nextRun();
    await save({ runAt: iso(Date.now() - 2_000) });
    const { run } = await first;
    const { items } = await listRuns(node.context, caller(), { job: 'mail' });
    expect(items[0]?.trigger).toEqual({ kind: 'schedule', of: 'nightly' });
    expect(items[0]?.window).toMatchObject({ schedule: 'nightly', catchUp: false });
    const named = await getRun(node.context, caller(), { id: items[0]?.window?.id ?? '' });
    expect(named.id).toBe(items[0]?.id);
    expect(run.seq).toBe(1);
    const { id } = await triggerSchedule(node.context, caller(), { name: 'nightly' });
    const manual = await getRun(node.context, caller(), { id });
    expect(manual.trigger).toEqual({ kind: 'manual', of: 'nightly', by: 'tester' });
    const timeline = await scheduleTimeline(node.context, caller(), { name: 'nightly' });
    expect(timeline.items).toMatchObject([{ state: 'fired', run: items[0]?.id }]);
    expect(timeline.items[0]?.lateMs).toBeGreaterThanOrEqual(2_000);
    const over = await getSchedule(node.context, caller(), { name: 'nightly' });
    expect(over).toMatchObject({ state: 'ended', next: null });
  });

  it('TRG-19 pauses and resumes; a deleted one is seen as such and fires no more', async () => {
    await save();
    expect(await pauseSchedule(node.context, caller(), { name: 'nightly' })).toMatchObject({
      state: 'paused',
      next: null,
      version: 2,
    });
    expect(await resumeSchedule(node.context, caller(), { name: 'nightly' })).toMatchObject({
      state: 'active',
      version: 3,
      change: { fields: ['paused'] },
    });
    expect(await deleteSchedule(node.context, caller(), { name: 'nightly' })).toMatchObject({
      state: 'deleted',
    });
    const gone = triggerSchedule(node.context, caller(), { name: 'nightly' });
    await expect(gone).rejects.toMatchObject({ code: 'not_found' });
    expect((await listSchedules(node.context, caller(), {})).items).toEqual([]);
    expect((await save()).schedule).toMatchObject({ version: 5, state: 'active' });
  });
});

describe('the timeline', () => {
  it('EXT-05 U063 shows what is planned, what was skipped and why', async () => {
    const off = { catchUp: { maxWindows: 0 }, startingDeadline: 1_000 };
    await save({ runAt: iso(Date.now() - MINUTE), ...off });
    const skipped = async () => {
      const { items } = await scheduleTimeline(node.context, caller(), { name: 'nightly' });
      return items.filter(({ state }) => state === 'skipped');
    };
    while ((await skipped()).length === 0) await node.context.loop.flushed();
    expect(await skipped()).toMatchObject([{ reason: 'catch_up_off', count: 1 }]);
    await saveSchedule(node.context, caller(), {
      name: 'other',
      definition: { job: 'mail', ...DAILY },
    });
    const { items } = await scheduleTimeline(node.context, caller(), { name: 'other' });
    expect(items.map(({ state }) => state)).toEqual(new Array(10).fill('planned'));
  });
});

describe('a backfill', () => {
  const range = () => {
    const until = Date.now() - (Date.now() % MINUTE);
    return { from: iso(until - 9 * MINUTE), until: iso(until) };
  };
  const fill = (more: object) =>
    backfillSchedule(node.context, caller(), { name: 'nightly', ...range(), ...more });

  beforeEach(async () => {
    await save({ every: MINUTE, anchorAt: '2026-01-01T00:00:00Z' });
  });

  it('EXT-06 U045 makes exactly the windows that are missing, once; a dry run makes nothing', async () => {
    const dry = await fill({ dryRun: true });
    expect(dry).toMatchObject({ dryRun: true, windows: 10, missing: 10 });
    expect(dry.items.every(({ run }) => run === undefined)).toBe(true);
    expect((await listRuns(node.context, caller(), {})).items).toEqual([]);
    const done = await fill({});
    expect(done.items.map(({ window }) => window)).toEqual(dry.items.map(({ window }) => window));
    const runs = await listRuns(node.context, caller(), { job: 'mail' });
    expect(runs.items.map(({ id }) => id).sort()).toEqual(done.items.map(({ run }) => run).sort());
    expect(runs.items[0]?.trigger).toEqual({ kind: 'backfill', of: 'nightly', by: 'tester' });
    expect(await fill({})).toMatchObject({ missing: 0, items: [] });
    const timeline = await scheduleTimeline(node.context, caller(), { name: 'nightly' });
    expect(timeline.items.filter(({ state }) => state === 'backfilled')).toHaveLength(10);
  });

  it('EXT-05 hides no window of its schedule behind a page of the timeline', async () => {
    const before = await fill({});
    const untilMs = Date.parse(range().from) - MINUTE;
    const old = await fill({ from: iso(untilMs - 24 * MINUTE), until: iso(untilMs) });
    expect([before.items.length, old.items.length]).toEqual([10, 25]);
    const now = Date.now();
    const { books } = node.context.loop.engine.core;
    const schedules = [...books.values()].flatMap((book) => [...book.schedules.values()]);
    // Two that no cursor can tell apart, one that may lie between the runs, and one from long ago.
    const skippedAt = [now + 10, now + 10, now, 1];
    const [schedule] = schedules as [Schedule];
    schedule.skips = skippedAt.map((from) => ({
      ...{ from, to: from, count: 1, reason: 'replaced', at: from },
    }));
    for (const limit of [1, 3, 7, 100]) {
      const seen: string[] = [];
      let after: string | undefined;
      for (let pages = 0; ; pages++) {
        expect(pages).toBeLessThan(50);
        const params = { name: 'nightly', limit, ...(after === undefined ? {} : { after }) };
        const page = await scheduleTimeline(node.context, caller(), params);
        // The minute may end meanwhile: the next window fires then.
        const decided = page.items.filter(({ state }) => /backfilled|skipped/.test(state));
        seen.push(...decided.map(({ window, state }) => `${state} ${window}`));
        if (page.next === undefined) break;
        after = page.next;
      }
      const runs = [...before.items, ...old.items].map(({ window }) => `backfilled ${window}`);
      const skips = skippedAt.map((from) => `skipped ${iso(from)}`);
      expect(seen.sort()).toEqual([...runs, ...skips].sort());
    }
    const wrong = scheduleTimeline(node.context, caller(), { name: 'nightly', after: 'x' });
    await expect(wrong).rejects.toMatchObject({ code: 'bad_request' });
  });

  it('of all windows that was refused midway is completed by a repeat under its key', async () => {
    const { until } = range();
    const all = { only: 'all', from: iso(Date.parse(until) - 1_499 * MINUTE), until };
    const send = (requestId: string, key?: string) =>
      backfillSchedule(node.context, caller({ requestId }), {
        ...{ name: 'nightly', from: all.from, until, only: 'all' },
        ...(key === undefined ? {} : { key }),
      });
    const { loop } = node.context;
    const refusesLast = () => {
      const execute = loop.executeAll.bind(loop);
      let calls = 0;
      return vi.spyOn(loop, 'executeAll').mockImplementation(async (commands) => {
        calls++;
        if (calls === 1) return execute(commands);
        return commands.map(() => ({ kind: 'refused', code: 'overloaded', message: 'busy' }));
      });
    };
    for (const [requestId, key] of [['r7'], ['r8', 'mine']] as const) {
      const spy = refusesLast();
      const repeatKey = key ?? requestId;
      await expect(send(requestId, key)).rejects.toMatchObject({
        code: 'overloaded',
        message: expect.stringContaining(`Idempotency-Key: ${repeatKey}`),
      });
      spy.mockRestore();
      // The minute may end meanwhile, and its window fires: only runs of the backfill are counted.
      const made = () =>
        node.disk.snapshot().runs.filter(({ head }) => head.includes('"backfill"')).length;
      const before = made();
      const done = await send('another', repeatKey);
      expect(done.items).toHaveLength(1_500);
      expect(made()).toBe(before + 500);
    }
  });

  it('DAG-29 answers a window that has a run with that run; its id names schedule and window', async () => {
    const at = range().until;
    const one = () => fill({ from: at, until: at });
    const [both, other] = await Promise.all([one(), one()]);
    const made = await one();
    expect(made).toMatchObject({ windows: 1, missing: 0, items: [] });
    const run = made.existing[0]?.run as string;
    expect(both.items).toEqual([{ window: at, run }]);
    expect(other.items).toEqual([{ window: at, run }]);
    expect((await listRuns(node.context, caller(), {})).items).toHaveLength(1);
    const id = `nightly_${at}`;
    const window = { id, schedule: 'nightly', at, backfill: true };
    for (const name of [run, id, id.replace(':00.000Z', 'Z')]) {
      expect(await getRun(node.context, caller(), { id: name })).toMatchObject({ id: run, window });
    }
    // Run again on somebody's word, the window is still called by the run that it had.
    await fill({ from: at, until: at, only: 'all' });
    expect((await getRun(node.context, caller(), { id })).id).toBe(run);
    for (const absent of [`nightly_${range().from}`, `nobody_${at}`, 'nightly_2030-13-01T00:00Z']) {
      const asked = getRun(node.context, caller(), { id: absent });
      await expect(asked).rejects.toMatchObject({ code: 'not_found' });
    }
    const foreign = getRun(node.context, caller({ tenant: 'other' }), { id });
    await expect(foreign).rejects.toMatchObject({ code: 'not_found' });
  });

  it('EXT-06 makes all of them again if asked to, at a rate that survives a restart', async () => {
    await fill({});
    const again = await fill({ only: 'all', perMinute: 60 });
    expect(again).toMatchObject({ windows: 10, missing: 0 });
    expect(again.items).toHaveLength(10);
    const dueAt = (await node.disk.listRuns({ tenant: 'acme', before: null, limit: 10 }))
      .map(({ run }) => JSON.parse(run.head).dueAt ?? 0)
      .sort((a: number, b: number) => a - b);
    expect(dueAt[0]).toBe(0);
    // Sixty a minute: one each second after the first, which starts at once.
    const gaps = dueAt.slice(2).map((at: number, i: number) => at - dueAt[i + 1]);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(1_000);
    expect(Math.max(...gaps)).toBeLessThan(2_000);
    await node.stop();
    node = await SmallNode.start({ disk: node.disk });
    const books = [...node.context.loop.engine.core.books.values()];
    const waiting = books.flatMap(({ runs }) => [...runs.values()].map(({ head }) => head.dueAt));
    const later = waiting.filter((at) => at !== undefined);
    expect(later.sort((a, b) => a - b)).toEqual(dueAt.slice(1));
  });

  it('EXT-06 makes exactly those that are missing between others that exist', async () => {
    const untilMs = Date.parse(range().until);
    const at = (ago: number) => iso(untilMs - ago * MINUTE);
    for (const ago of [7, 4, 3]) await fill({ from: at(ago), until: at(ago) });
    const done = await fill({ from: at(9), until: at(0) });
    expect(done).toMatchObject({ windows: 10, missing: 7 });
    expect(done.items.map(({ window }) => window)).toEqual([9, 8, 6, 5, 2, 1, 0].map(at));
    const { items } = await listRuns(node.context, caller(), { job: 'mail' });
    const windows = items.map(({ window }) => window?.at).filter((each) => each !== undefined);
    // The minute may end meanwhile, and its window fires.
    const filled = windows.filter((each) => each <= at(0));
    expect(filled.sort()).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1, 0].map(at));
  });

  it('leaves windows that are still to come to the schedule', async () => {
    const { items } = await fill({ until: iso(Date.now() + 3_600_000), dryRun: true });
    expect(items.every(({ window }) => Date.parse(window) <= Date.now())).toBe(true);
  });

  it('of too much, or backwards, is refused', async () => {
    const long = fill({ from: '2000-01-01T00:00:00Z' });
    await expect(long).rejects.toMatchObject({ code: 'invalid', field: 'until' });
    const back = fill({ from: range().until, until: range().from });
    await expect(back).rejects.toMatchObject({ code: 'invalid', field: 'until' });
  });
});

describe('a preview', () => {
  it('EXT-05 marks the clock changes among the next windows', async () => {
    const preview = await previewSchedule(node.context, caller(), {
      expr: '30 2 * * *',
      timezone: 'Europe/Berlin',
      from: '2027-03-26T00:00:00Z',
      limit: 5,
    });
    expect(preview.windows.map(({ at }) => at.slice(0, 16))).toEqual([
      '2027-03-26T01:30',
      '2027-03-27T01:30',
      '2027-03-28T01:00',
      '2027-03-29T00:30',
      '2027-03-30T00:30',
    ]);
    expect(preview.windows[2]?.mark).toBe('shifted');
    expect(preview.changes).toEqual([
      { at: '2027-03-28T01:00:00.000Z', offsetMinutesBefore: 60, offsetMinutesAfter: 120 },
    ]);
  });
});
