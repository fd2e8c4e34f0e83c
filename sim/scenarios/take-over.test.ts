import { parseDetail } from '@signalbox/engine';
import { describe, expect, it } from 'vitest';
import { Stage, statesOf } from './stage.ts';

describe('take-over', () => {
  it('DUR-19 500 completions in a dead scheduler’s buffer are asked of the workers, none runs twice', async () => {
    const workers = Array.from({ length: 100 }, () => 5);
    const stage = await Stage.set({ nodes: 1, workers });
    stage.submit('normal', 500);
    await stage.pass(400);
    expect(stage.events('start')).toHaveLength(500);
    const [node] = stage.world.nodes;
    node!.way.requestsCut = true;
    await stage.pass(16_000);
    // Everything is done, and nobody but the workers and the node's memory knows.
    expect(stage.events('complete.sent')).toHaveLength(500);
    const acknowledged = stage.events('complete.acked').length;
    expect(acknowledged).toBeLessThan(50);
    node!.crash();
    await stage.pass(1_000);
    node!.way.requestsCut = false;
    node!.start();
    const { evidence, violations } = await stage.finish();
    expect(violations).toEqual([]);
    expect(statesOf(evidence)).toEqual({ SUCCEEDED: 500 });
    expect(stage.events('start')).toHaveLength(500);
  });

  it('CLU-11 what waits is kept, what runs is awaited, what died with its worker is tried again', async () => {
    const stage = await Stage.set({ nodes: 2, workers: [2, 2], partitions: 1 });
    stage.submit('long', 4);
    // Long enough for both nodes to have heard what each worker holds.
    await stage.pass(8_000);
    expect(stage.events('start')).toHaveLength(4);
    stage.submit('quick', 3);
    await stage.pass(1_000);
    const { nodes, workers } = stage.world;
    const owner = nodes.find((node) => node.process?.loop.owns(0));
    const heir = nodes.find((node) => node !== owner);
    workers[1]!.crash(true);
    owner!.crash();
    // The next owner knows the three kinds, and has decided about none of them yet.
    const tasks = () => {
      const book = heir!.process?.loop.engine.core.books.get(0);
      return [...(book?.runs.values() ?? [])].map(({ spec, tasks: [task] }) => ({
        job: spec.job,
        state: task!.state,
        attempts: task!.attempts,
      }));
    };
    for (let waited = 0; tasks().length === 0 && waited < 10_000; waited += 100) {
      await stage.pass(100);
    }
    expect(tasks()).toEqual([
      ...Array(4).fill({ job: 'long', state: 'RUNNING', attempts: 1 }),
      ...Array(3).fill({ job: 'quick', state: 'QUEUED', attempts: 0 }),
    ]);
    await stage.pass(90_000);
    const { evidence, violations } = await stage.finish();
    expect(violations).toEqual([]);
    expect(statesOf(evidence)).toEqual({ SUCCEEDED: 7 });
    const histories = evidence.runs.map(({ run, end }) => {
      const [task] = parseDetail(end!.detail, run.id.ms).tasks;
      return {
        job: run.job,
        workers: task!.attempts.map(({ worker, outcome }) => `${worker} ${outcome}`),
      };
    });
    const long = histories.filter(({ job }) => job === 'long').map((each) => each.workers);
    // On the living worker: adopted, one attempt. On the dead one: charged, and elsewhere.
    expect(long.filter((each) => each[0] === 'w0 succeeded')).toHaveLength(2);
    const lost = long.filter((each) => each[0] === 'w1 worker_lost');
    expect(lost).toHaveLength(2);
    for (const each of lost) expect(each.at(-1)).toBe('w0 succeeded');
    for (const { job, workers: tried } of histories)
      if (job === 'quick') expect(tried).toHaveLength(1);
  });

  it('WRK-09 CLU-13 every scheduler is off for ten minutes: work goes on, results are delivered, none twice', async () => {
    const stage = await Stage.set({ nodes: 3, workers: Array.from({ length: 10 }, () => 5) });
    stage.submit('normal', 50);
    await stage.pass(300);
    expect(stage.events('start')).toHaveLength(50);
    for (const node of stage.world.nodes) node.crash();
    await stage.pass(10 * 60_000);
    expect(stage.events('complete.sent')).toHaveLength(50);
    for (const node of stage.world.nodes) node.start();
    const { evidence, violations } = await stage.finish();
    expect(violations).toEqual([]);
    expect(statesOf(evidence)).toEqual({ SUCCEEDED: 50 });
    expect(stage.events('start')).toHaveLength(50);
  });

  it('DUR-21 EVO-06 F11 a node that is cut off from the store assigns nothing and heals', async () => {
    const stage = await Stage.set({ nodes: 3, workers: [5, 5, 5] });
    const [node] = stage.world.nodes;
    const { owner } = node!.process!;
    node!.way.requestsCut = true;
    await stage.pass(5_000);
    const cutAt = stage.now;
    for (let i = 0; i < 30; i++) {
      stage.submit('quick', 3);
      await stage.pass(2_000);
    }
    expect(
      stage.events('dispatch').filter((event) => event.node === owner && event.t > cutAt),
    ).toEqual([]);
    const { evidence, violations } = await stage.finish();
    expect(violations).toEqual([]);
    expect(statesOf(evidence)).toEqual({ SUCCEEDED: 90 });
  });

  it('DUR-20 EVO-06 U023 reads that lag for 60 s cause no double assignment', async () => {
    const stage = await Stage.set({ nodes: 3, workers: [5, 5, 5] });
    stage.submit('normal', 10);
    await stage.pass(2_000);
    for (const node of stage.world.nodes) node.way.stale = true;
    stage.world.clients.way.stale = true;
    for (let i = 0; i < 30; i++) {
      stage.submit('quick', 4);
      if (i === 10) stage.world.nodes[0]!.crash();
      if (i === 12) stage.world.nodes[0]!.start();
      await stage.pass(2_000);
    }
    const { evidence, violations } = await stage.finish();
    expect(violations).toEqual([]);
    expect(statesOf(evidence)).toEqual({ SUCCEEDED: 130 });
  });
});
