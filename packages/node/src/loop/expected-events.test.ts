import type { RunHead, ScheduleDefinition } from '@signalbox/engine';
import { describe, expect, it } from 'vitest';
import { expectationName } from './defined-schedule.ts';
import { type VirtualNode, VirtualWorld } from './testing/virtual-world.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const expects = expectationName('files');

/** An event every hour from now on, waited for half an hour. */
async function save(world: VirtualWorld, own: Partial<ScheduleDefinition> = {}, version = 1) {
  const when = { kind: 'interval', everyMs: HOUR, anchorAt: 1_800_000_000_000 } as const;
  const expected: ScheduleDefinition = {
    job: 'job',
    when,
    expects: { trigger: 'files', bufferMs: 30 * MINUTE, late: 'run' },
    ...own,
  };
  const body = JSON.stringify({ job: 'job', type: 'file', expected });
  const of = { tenant: 'acme', kind: 'trigger', name: 'files', author: 'ann' };
  const result = await world.disk.putDefinition({ ...of, body, expectedVersion: version - 1 });
  expect(result.kind).toBe('written');
}

async function start(world: VirtualWorld, name: string): Promise<VirtualNode> {
  const node = await world.startNode({ name, loop: { checkpointFacts: 3 } });
  node.attach('w');
  node.finishEverything();
  return node;
}

async function event(node: VirtualNode, id: string): Promise<string> {
  const spec = await node.spec('acme', 'job');
  const head = { key: `event/files/${id}`, expects, trigger: { kind: 'event', of: 'files' } };
  const answer = await node.submitted(spec, head as object);
  return answer.kind === 'refused' ? answer.code : answer.kind;
}

/** What started each run, oldest first; windows as hours from the anchor. */
async function started(world: VirtualWorld): Promise<string[]> {
  const runs = await world.disk.listRuns({ tenant: 'acme', before: null, limit: 999 });
  return runs.reverse().map(({ run }) => {
    const { trigger, window } = JSON.parse(run.head) as RunHead;
    const hour = window === undefined ? '' : ` ${(window.at - 1_800_000_000_000) / HOUR}`;
    return `${trigger?.kind}${hour}`;
  });
}

describe('expected events', () => {
  it('TRG-24 a day of hours: a window with an event has no other run, one without has one', async () => {
    const world = new VirtualWorld();
    await world.define('acme', 'job');
    await save(world);
    const node = await start(world, 'a');
    for (let hour = 1; hour <= 24; hour++) {
      // Before, at and after the expected time, and every third hour not at all.
      await world.run(HOUR - 10 * MINUTE + (hour % 3) * 10 * MINUTE - (world.nowMs % HOUR));
      if (hour % 3 !== 0) expect(await event(node, `e${hour}`)).toBe('accepted');
      await world.run(HOUR - (world.nowMs % HOUR));
    }
    await world.run(HOUR);
    const all = await started(world);
    expect(all.filter((each) => each === 'event')).toHaveLength(16);
    const without = all.filter((each) => each.startsWith('no_event'));
    expect(without.length).toBeGreaterThanOrEqual(8);
    expect(new Set(without).size).toBe(without.length);
    expect(node.fatal).toEqual([]);
  });

  it('TRG-24 fail-over inside the buffer neither loses nor repeats what stands in', async () => {
    const world = new VirtualWorld();
    await world.define('acme', 'job');
    await save(world);
    let node = await start(world, 'a');
    const anchor = 1_800_000_000_000;
    const until = (ms: number) => world.run(anchor + ms - world.nowMs);
    // The event of the first window comes, the node dies in the buffer of the second.
    await until(HOUR + 5 * MINUTE);
    expect(await event(node, 'first')).toBe('accepted');
    await until(2 * HOUR + 10 * MINUTE);
    node.loop.halt();
    node = await start(world, 'b');
    await until(2 * HOUR + 29 * MINUTE);
    expect(await started(world)).toEqual(['event']);
    await until(2 * HOUR + 31 * MINUTE);
    expect(await started(world)).toEqual(['event', 'no_event 2']);
    // It dies again in the buffer of the third, whose event came to the one before.
    await until(3 * HOUR + 5 * MINUTE);
    expect(await event(node, 'third')).toBe('accepted');
    node.loop.halt();
    node = await start(world, 'c');
    await world.run(MINUTE);
    // Delivered again to the next owner, it is the same event.
    expect(await event(node, 'third')).toBe('duplicate');
    await until(3 * HOUR + 45 * MINUTE);
    // Down over the whole of the fourth: it is caught up, once.
    node.loop.halt();
    await until(4 * HOUR + 40 * MINUTE);
    node = await start(world, 'd');
    await until(5 * HOUR);
    node.loop.halt();
    node = await start(world, 'e');
    await until(5 * HOUR + 10 * MINUTE);
    expect(await started(world)).toEqual(['event', 'no_event 2', 'event', 'no_event 4']);
    expect(node.fatal).toEqual([]);
  });

  it('an old event that only the store remembers meets nothing', async () => {
    const world = new VirtualWorld();
    await world.define('acme', 'job');
    await save(world);
    const anchor = 1_800_000_000_000;
    let node = await start(world, 'a');
    await world.run(HOUR + 5 * MINUTE);
    expect(await event(node, 'old')).toBe('accepted');
    node.loop.halt();
    await world.run(45 * MINUTE);
    // A new owner knows the key only by the store's refusal.
    node = await start(world, 'b');
    await world.run(anchor + 2 * HOUR + 5 * MINUTE - world.nowMs);
    expect(await event(node, 'old')).toBe('duplicate');
    await world.run(HOUR / 2);
    expect(await started(world)).toEqual(['event', 'no_event 2']);
  });

  it('a trigger that is edited or deleted takes its expectation with it', async () => {
    const world = new VirtualWorld();
    await world.define('acme', 'job');
    await save(world);
    const node = await start(world, 'a');
    await world.run(HOUR + 35 * MINUTE);
    expect(await started(world)).toEqual(['no_event 1']);
    const of = { tenant: 'acme', kind: 'trigger', name: 'files', author: 'ann' };
    const body = JSON.stringify({ job: 'job', type: 'file' });
    await world.disk.putDefinition({ ...of, body, expectedVersion: 1 });
    await world.run(2 * HOUR);
    expect(await started(world)).toEqual(['no_event 1']);
    await save(world, {}, 3);
    await world.run(2 * HOUR);
    expect((await started(world)).length).toBeGreaterThanOrEqual(2);
    await world.disk.deleteDefinition({ ...of, expectedVersion: 3 });
    await world.run(MINUTE);
    const before = await started(world);
    await world.run(3 * HOUR);
    expect(await started(world)).toEqual(before);
    expect(node.fatal).toEqual([]);
  });
});
