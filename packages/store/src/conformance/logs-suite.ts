import type { RunId } from '@signalbox/engine';
import { describe, expect, it } from 'vitest';
import type { LogCursor, LogLineRow, LogQuery } from '../log-lines.ts';
import { endRow, logLine, runRow } from './builders.ts';
import type { ConformanceTarget } from './target.ts';
import { expectRefused, expectUnchanged, openWorld, SEGMENT_MS, type World } from './world.ts';

/** Short, so that a store with a clock of its own reaches the end of a segment soon. */
const BRIEF_MS = 200;

export function logsSuite(target: ConformanceTarget): void {
  describe('logs', () => {
    keeping(target);
    reading(target);
    segments(target);
  });
}

function keeping(target: ConformanceTarget): void {
  it('keep a line with every field, empty and long text too', async () => {
    const world = await openWorld(target);
    const run = idOf(world);
    const lines = [
      logLine(run, { number: 0, stream: 'stderr' }),
      logLine(run, { number: 1, text: '' }),
      logLine(run, { number: 2, text: 'ä😀\n'.repeat(20_000) }),
      logLine(run, {
        ...{ task: 2 ** 31 - 1, attempt: 2 ** 31 - 1 },
        number: 2 ** 53 - 1,
        atMs: 0,
      }),
    ];
    await world.store.appendLogs(lines);
    expect(await read(world, {})).toEqual(lines);
    await expectUnchanged(world, () => world.store.appendLogs([]));
  });

  it('do nothing with a line that is there already, also within one batch', async () => {
    const world = await openWorld(target);
    const run = idOf(world);
    const other = { text: 'another', stream: 'stderr', atMs: 1 };
    await world.store.appendLogs([logLine(run, { number: 1 }), logLine(run, other)]);
    await expectUnchanged(world, () =>
      world.store.appendLogs([logLine(run, { number: 1, ...other }), logLine(run)]),
    );
    const twice = [logLine(run, { number: 2 }), logLine(run, { number: 2, ...other })];
    await world.store.appendLogs([...twice, logLine(run, { number: 3 })]);
    const kept = await read(world, {});
    expect(kept.map(({ text }) => text)).toEqual([
      'another',
      ...[1, 2, 3].map((number) => logLine(run, { number }).text),
    ]);
  });

  it('are kept once when several callers send the same batch at once', async () => {
    const world = await openWorld(target);
    const run = idOf(world);
    const batch = Array.from({ length: 50 }, (_, number) => logLine(run, { number }));
    const backwards = batch.toReversed();
    await Promise.all([batch, backwards, batch].map((lines) => world.store.appendLogs(lines)));
    expect(await read(world, {})).toEqual(batch);
  });

  it.each([
    { task: -1 },
    { task: 0.5 },
    { task: 2 ** 31 },
    { attempt: -1 },
    { attempt: 2 ** 31 },
    { number: -1 },
    { number: 2 ** 53 },
    { atMs: 0.5 },
  ])('refuse the batch for a line with %o', async (bad) => {
    const world = await openWorld(target);
    const run = idOf(world);
    const lines = [logLine(run), logLine(run, { number: 1, ...bad })];
    await expectUnchanged(world, () => expectRefused(world.store.appendLogs(lines), 'invalid'));
  });
}

function reading(target: ConformanceTarget): void {
  it('are read in order of task, attempt and number, in whatever order they came', async () => {
    const world = await openWorld(target);
    const lines = await fill(world);
    expect(await read(world, {})).toEqual(lines);
  });

  it('are read in pages that join without a gap', async () => {
    const world = await openWorld(target);
    const lines = await fill(world);
    const pages: LogLineRow[] = [];
    for (let after: LogCursor | null = null; ; ) {
      const page: LogLineRow[] = await read(world, { after, limit: 4 });
      expect(page.length).toBeLessThanOrEqual(4);
      if (page.length === 0) break;
      pages.push(...page);
      after = page.at(-1) ?? null;
    }
    expect(pages).toEqual(lines);
    const between = { task: 1, attempt: 2, number: 1 };
    expect(await read(world, { after: between })).toEqual(
      lines.filter(
        ({ task, attempt, number }) => task === 2 || (task === 1 && attempt === 2 && number > 1),
      ),
    );
  });

  it('are read of one task or attempt, from the cursor on', async () => {
    const world = await openWorld(target);
    const lines = await fill(world);
    expect(await read(world, { task: 1 })).toEqual(lines.filter(({ task }) => task === 1));
    expect(await read(world, { task: 1, attempt: 2 })).toEqual(
      lines.filter(({ task, attempt }) => task === 1 && attempt === 2),
    );
    expect(await read(world, { attempt: 2 })).toEqual(lines.filter(({ attempt }) => attempt === 2));
    const after = { task: 1, attempt: 1, number: 1 };
    expect(await read(world, { task: 1, after })).toEqual(
      lines.filter(({ task, attempt, number }) => task === 1 && (attempt > 1 || number > 1)),
    );
    expect(await read(world, { task: 2, after })).toEqual(lines.filter(({ task }) => task === 2));
    expect(await read(world, { task: 0, after })).toEqual([]);
    expect(await read(world, { task: 1, attempt: 1, after, limit: 1 })).toEqual(
      lines.filter(({ task, attempt, number }) => task === 1 && attempt === 1 && number === 2),
    );
    expect(await read(world, { task: 7 })).toEqual([]);
  });

  it('SEC-02 are never shown to another tenant, and not under another run', async () => {
    const world = await openWorld(target);
    await fill(world);
    expect(await read(world, { tenant: 'other' })).toEqual([]);
    expect(await read(world, { tenant: '' })).toEqual([]);
    expect(await read(world, { run: { ...idOf(world), seq: 2 } })).toEqual([]);
    expect(await read(world, { run: { ...idOf(world), ms: 5 } })).toEqual([]);
    const run = { ...idOf(world), seq: 2 };
    await world.store.appendLogs([logLine(run, { tenant: 'other' })]);
    expect(await read(world, { run })).toEqual([]);
    expect(await read(world, { run, tenant: 'other' })).toHaveLength(1);
  });

  it('come from a time onwards, over every task and page', async () => {
    const world = await openWorld(target);
    const lines = await fill(world);
    const sinceMs = logLine(idOf(world), { number: 1 }).atMs;
    const later = lines.filter(({ atMs }) => atMs >= sinceMs);
    expect(later).toHaveLength(12);
    expect(await read(world, { sinceMs })).toEqual(later);
    const page = await read(world, { sinceMs, limit: 5 });
    expect(page).toEqual(later.slice(0, 5));
    const rest = await read(world, { sinceMs, after: page[4] as LogLineRow });
    expect(rest).toEqual(later.slice(5));
    expect(await read(world, { sinceMs, task: 1, attempt: 2 })).toEqual(later.slice(6, 8));
    expect(await read(world, { sinceMs: sinceMs + 2 })).toEqual([]);
    await expectRefused(read(world, { sinceMs: Number.NaN }), 'invalid');
  });
}

function segments(target: ConformanceTarget): void {
  it('go with the segment of their run, and those of other segments stay', async () => {
    const world = await openWorld(target, { segmentMs: BRIEF_MS });
    const { owner, run, segment } = await segmentAhead(world);
    const next = { ms: segment.toMs, partition: 1, seq: 9 };
    await world.store.ensureSegments({ untilMs: segment.toMs + BRIEF_MS });
    const lines = [0, 1, 2].map((number) => logLine(run.id, { number }));
    await world.store.appendLogs([...lines, logLine(next)]);
    await owner.commit({ ends: [endRow(run)] });
    await world.waitPast(segment.toMs);
    expect(await world.store.sealSegment(segment.fromMs)).toMatchObject({ sealed: true });
    expect(await read(world, { run: run.id })).toEqual(lines);
    await world.store.dropSegment(segment.fromMs);
    expect(await read(world, { run: run.id })).toEqual([]);
    expect((await world.snapshot()).logs).toHaveLength(1);
    expect(await read(world, { run: next })).toEqual([logLine(next)]);
  });

  it('leave out lines that come after their segment was sealed or dropped', async () => {
    const world = await openWorld(target, { segmentMs: BRIEF_MS });
    const { owner, run, segment } = await segmentAhead(world);
    const next = { ms: segment.toMs, partition: 1, seq: 9 };
    await world.store.ensureSegments({ untilMs: segment.toMs + BRIEF_MS });
    await world.store.appendLogs([logLine(run.id)]);
    await owner.commit({ ends: [endRow(run)] });
    await world.waitPast(segment.toMs);
    await world.store.sealSegment(segment.fromMs);
    const late = logLine(run.id, { number: 1 });
    await world.store.appendLogs([late, logLine(next, { number: 0 })]);
    expect(await read(world, { run: run.id })).toEqual([logLine(run.id)]);
    await world.store.dropSegment(segment.fromMs);
    await world.store.appendLogs([late, logLine(next, { number: 1 })]);
    expect(await read(world, { run: run.id })).toEqual([]);
    expect(await read(world, { run: next })).toHaveLength(2);
  });

  it('do not hold up a segment without a line', async () => {
    const world = await openWorld(target, { segmentMs: BRIEF_MS });
    const { owner, run, segment } = await segmentAhead(world);
    await owner.commit({ ends: [endRow(run)] });
    await world.waitPast(segment.toMs);
    expect(await world.store.sealSegment(segment.fromMs)).toMatchObject({ sealed: true });
    await world.store.dropSegment(segment.fromMs);
    expect(await read(world, { run: run.id })).toEqual([]);
  });

  it('make no segment for an id that no run can have', async () => {
    const world = await openWorld(target);
    const run = { ms: world.baseMs + 500 * SEGMENT_MS, partition: 1, seq: 1 };
    await expectUnchanged(world, () => world.store.appendLogs([logLine(run)]));
    expect(await read(world, { run })).toEqual([]);
  });
}

function idOf(world: World): RunId {
  return { ms: world.baseMs, partition: 1, seq: 1 };
}

function read(world: World, query: Partial<LogQuery>): Promise<LogLineRow[]> {
  return world.store.readLogs({
    ...{ tenant: 'acme', run: idOf(world), after: null, limit: 99 },
    ...query,
  });
}

/** Three tasks of two attempts with three lines each, written in disorder; in their order. */
async function fill(world: World): Promise<LogLineRow[]> {
  const run = idOf(world);
  const lines = [0, 1, 2].flatMap((task) =>
    [1, 2].flatMap((attempt) => [0, 1, 2].map((number) => logLine(run, { task, attempt, number }))),
  );
  await world.store.appendLogs(lines.filter((_, i) => i % 3 === 1));
  await world.store.appendLogs(lines.filter((_, i) => i % 3 !== 1).toReversed());
  return lines;
}

/** One run in the segment after the present one: that may end while a test still fills it. */
async function segmentAhead(world: World) {
  const nowMs = await world.store.now();
  await world.store.ensureSegments({ untilMs: nowMs + 2 * BRIEF_MS });
  const segment = (await world.store.listSegments()).find(({ fromMs }) => fromMs > nowMs);
  if (segment === undefined) throw new Error('no segment ahead');
  const owner = await world.own(1);
  const run = runRow({ ms: segment.fromMs + 1, partition: 1, seq: 1 });
  await owner.commit({ runs: [run] });
  return { owner, run, segment };
}
