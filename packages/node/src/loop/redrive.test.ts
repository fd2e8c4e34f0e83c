import { refOf, runWindow } from '@signalbox/engine';
import { describe, expect, it } from 'vitest';
import { readRun, redrive } from './index.ts';
import { VirtualWorld } from './testing/virtual-world.ts';

describe('a quarantined run', () => {
  it('FLT-06 is tried again only on somebody’s word, as a new run that says whose', async () => {
    const world = new VirtualWorld();
    await world.define('acme', 'mail', { tasks: [{ retry: { attemptsMax: 1 } }] });
    const node = await world.startNode();
    const { loop, store } = node;
    node.attach('w');
    const first = await node.submitted(await node.spec('acme', 'mail'), { key: 'k' });
    if (first.kind !== 'accepted') throw new Error('not accepted');
    const id = { ms: first.ms, partition: first.partition, seq: first.seq };
    const [assign] = node.assigned();
    if (assign === undefined) throw new Error('not assigned');
    const clear = async (by: string) => {
      const answer = redrive({ loop, store, tenant: 'acme', id, by });
      await world.run(50);
      return answer;
    };
    expect(await clear('ann')).toMatchObject({ kind: 'refused', code: 'invalid' });
    const result = { kind: 'failed', error: 'boom', class: 'transient' } as const;
    loop.report({ kind: 'finish', worker: 'w', ref: refOf(assign.attempt), result });
    await world.run(3_600_000);
    expect(node.assigned()).toHaveLength(1);
    expect(await clear('')).toMatchObject({ kind: 'refused', code: 'invalid' });
    expect(await clear('ann')).toMatchObject({ kind: 'accepted' });
    const again = world.disk.snapshot().runs.find((run) => run.head.includes('"retry"'));
    expect(JSON.parse(again?.head ?? '{}').trigger).toMatchObject({ kind: 'retry', by: 'ann' });
    // The old run keeps its end for ever.
    const view = await readRun({ loop, store, tenant: 'acme', id });
    expect(view).toMatchObject({ state: 'FAILED', tasks: [{ state: 'QUARANTINED' }] });
  });
});

describe('a run of a window that is tried again', () => {
  it('is for the same window, and is not taken for a second run of the schedule', async () => {
    const world = new VirtualWorld();
    await world.define('acme', 'mail', { tasks: [{ retry: { attemptsMax: 1 } }] });
    const node = await world.startNode();
    const { loop, store } = node;
    node.attach('w');
    const spec = await node.spec('acme', 'mail');
    const window = { schedule: 'nightly', at: 1_000, planned: 1_000, catchUp: true } as const;
    let answer = await node.submitted(spec, { window });
    // Twice, because a run that was tried again may be tried again.
    for (let tries = 1; tries <= 2; tries++) {
      if (answer.kind !== 'accepted') throw new Error('not accepted');
      const { partition, seq, ms } = answer;
      const assign = node.assigned().at(-1);
      if (assign === undefined) throw new Error('not assigned');
      const result = { kind: 'failed', error: 'boom', class: 'permanent' } as const;
      loop.report({ kind: 'finish', worker: 'w', ref: refOf(assign.attempt), result });
      await world.run(50);
      const id = { partition, seq, ms };
      const again = redrive({ loop, store, tenant: 'acme', id, by: 'ann' });
      await world.run(50);
      answer = await again;
      const { head } = node.assigned().at(-1)?.attempt.task.run ?? {};
      expect(runWindow(head ?? {})).toEqual({ schedule: 'nightly', at: 1_000, kind: 'catchUp' });
      expect(head?.window).toBeUndefined();
      expect(node.assigned()).toHaveLength(tries + 1);
    }
  });
});

describe('a run with a unique value that is tried again', () => {
  it('DUR-07 keeps the value: a live run with it is answered, and later ones meet the new run', async () => {
    const world = new VirtualWorld();
    await world.define('acme', 'mail', { tasks: [{ retry: { attemptsMax: 1 } }] });
    const node = await world.startNode();
    const { loop, store } = node;
    const spec = await node.spec('acme', 'mail');
    node.attach('w');
    const fail = async () => {
      const assign = node.assigned().at(-1);
      if (assign === undefined) throw new Error('not assigned');
      const result = { kind: 'failed', error: 'boom', class: 'permanent' } as const;
      loop.report({ kind: 'finish', worker: 'w', ref: refOf(assign.attempt), result });
      await world.run(50);
    };
    const first = await node.submitted(spec, { unique: 'v' });
    if (first.kind !== 'accepted') throw new Error('not accepted');
    await fail();
    const live = await node.submitted(spec, { unique: 'v' });
    const { partition, seq, ms } = first;
    const again = async () => {
      const id = { partition, seq, ms };
      const answer = redrive({ loop, store, tenant: 'acme', id, by: 'ann', scope: 'all' });
      await world.run(50);
      return answer;
    };
    expect(await again()).toEqual({ ...live, kind: 'duplicate' });
    await fail();
    const retried = await again();
    expect(retried.kind).toBe('accepted');
    expect(await node.submitted(spec, { unique: 'v' })).toEqual({ ...retried, kind: 'duplicate' });
  });
});
