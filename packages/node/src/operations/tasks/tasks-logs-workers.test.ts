import { parseRunId, type RunId, refOf } from '@signalbox/engine';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  cordonWorker,
  drainWorker,
  evictWorker,
  getRun,
  getTask,
  getWorker,
  listWorkers,
  queueDepth,
  runInput,
  runLogs,
  runOutput,
  taskAttempts,
  taskCheckpoint,
  taskLogs,
  uncordonWorker,
} from '../index.ts';
import { bytes, caller, HOLD, SmallNode, turn } from '../testing/small-node.ts';

let node: SmallNode;
beforeEach(async () => {
  node = await SmallNode.start();
  await node.define('mail');
});
afterEach(() => node.stop());

const GRAPH = {
  tasks: [
    { name: 'a', handler: 'graph' },
    { name: 'b', handler: 'graph', after: ['a'] },
  ],
};

describe('tasks', () => {
  it('API-03 shows a graph with all its tasks by name, and each task by its id', async () => {
    const tasks = Array.from({ length: 1_000 }, (_, i) => ({
      name: `t${i}`,
      handler: 'graph',
      after: i === 0 ? [] : [`t${Math.floor((i - 1) / 2)}`],
    }));
    await node.define('graph', { tasks });
    node.attach('w', HOLD);
    const id = await node.submit({ job: 'graph' });
    await node.arrived(1);
    const run = await getRun(node.context, caller(), { id });
    expect(run.tasks).toHaveLength(1_000);
    expect(run.tasks[999]).toMatchObject({ id: `${id}:t999`, state: 'PENDING', attempts: [] });
    await node.context.loop.flushed();
    const first = await getTask(node.context, caller(), { id: `${id}:t0` });
    expect(first).toMatchObject({ name: 't0', state: 'RUNNING' });
    const { items } = await taskAttempts(node.context, caller(), { id: `${id}:t0` });
    expect(items).toMatchObject([{ id: `${id}:t0:1`, worker: 'w', outcome: '', endedAt: null }]);
    for (const wrong of [`${id}:t1000`, 'x', `${id}`, `${id}:t0:1`]) {
      await expect(getTask(node.context, caller(), { id: wrong })).rejects.toMatchObject({
        code: 'not_found',
      });
    }
  });

  it('U064 keeps the names of tasks and why they failed when the run has ended, and when it is parked', async () => {
    await node.define('graph', GRAPH);
    const parked = await node.submit({ job: 'graph', delay: 86_400_000 });
    const waiting = await getRun(node.context, caller(), { id: parked });
    expect(waiting.tasks.map(({ name, state }) => [name, state])).toEqual([
      ['a', 'PENDING'],
      ['b', 'PENDING'],
    ]);
    expect(Date.parse(waiting.tasks[0]?.runAt ?? '')).toBeGreaterThan(Date.now() + 80_000_000);
    expect(waiting.tasks[1]?.runAt).toBeNull();
    node.attach('w', () => ({ kind: 'failed', error: 'bad', class: 'permanent' }));
    const id = await node.submit({ job: 'graph' });
    const ended = await getRun(node.context, caller(), { id, waitMs: 5_000 });
    expect(ended.tasks.map(({ name, state, error }) => [name, state, error])).toEqual([
      ['a', 'FAILED', 'bad'],
      ['b', 'CANCELLED', null],
    ]);
  });

  it('gives the last checkpoint and the progress of a live task', async () => {
    node.attach('w', HOLD);
    const id = await node.submit({ job: 'mail' });
    await node.arrived(1);
    const of = { id: `${id}:main` };
    await expect(taskCheckpoint(node.context, caller(), of)).rejects.toMatchObject({
      code: 'not_found',
    });
    const [attempt] = node.attempts;
    if (attempt === undefined) throw new Error('nothing came');
    const { loop } = node.context;
    const ref = refOf(attempt);
    loop.report({ kind: 'checkpoint', worker: 'w', ref, state: bytes('half') });
    const progress = [{ ref, value: 0.5 }];
    const foreignUse = { cpuMilli: 0, memoryMb: 0, gpu: 0, diskMb: 0, slots: 0 };
    loop.report({ kind: 'beat', worker: 'w', foreignUse, progress });
    await loop.flushed();
    expect(await taskCheckpoint(node.context, caller(), of)).toEqual(bytes('half'));
    expect((await getTask(node.context, caller(), of)).progress).toBe(0.5);
    // The lease is lost while the last wait for durability goes on.
    const { loop: real } = node.context;
    let waits = 0;
    const durable = (group: number): Promise<void> => {
      waits++;
      return real.durable(group);
    };
    const losing = Object.create(real, {
      durable: { value: durable },
      owns: { value: () => waits < 2 },
    }) as typeof real;
    for (const name of ['engine', 'specs', 'time'] as const) {
      Object.defineProperty(losing, name, { value: real[name] });
    }
    Object.defineProperty(losing, 'endingGroup', { value: () => null });
    const context = { ...node.context, loop: losing };
    await expect(taskCheckpoint(context, caller(), of)).rejects.toMatchObject({
      code: 'not_owner',
    });
    expect(waits).toBe(2);
    const stranger = caller({ tenant: 'other' });
    await expect(taskCheckpoint(node.context, stranger, of)).rejects.toMatchObject({
      code: 'not_found',
    });
  });
});

describe('payloads', () => {
  it('EXT-19 U097 any byte string is a valid input and output, an empty one too', async () => {
    const outputs = [new Uint8Array(), new Uint8Array([0, 255, 10]), bytes('"json"')];
    let next = 0;
    node.attach('w', () => ({ kind: 'succeeded', output: outputs[next++] as Uint8Array }));
    for (const output of outputs) {
      const id = await node.submit({ job: 'mail', inputBytes: output });
      await getRun(node.context, caller(), { id, waitMs: 5_000 });
      expect(await runInput(node.context, caller(), { id })).toEqual(output);
      expect(await runOutput(node.context, caller(), { id })).toEqual(output);
    }
    const stranger = caller({ tenant: 'other' });
    const id = await node.submit({ job: 'mail', input: null });
    for (const read of [runInput, runOutput]) {
      await expect(read(node.context, stranger, { id })).rejects.toMatchObject({
        code: 'not_found',
      });
    }
    const circular: Record<string, unknown> = {};
    circular['self'] = circular;
    for (const wrong of [
      { inputBase64: null },
      { inputBlob: 5 },
      { inputBytes: 'text' },
      { input: circular },
      { input: () => 1 },
      { runAt: 5 },
    ]) {
      const item = { job: 'mail', ...wrong } as unknown as Parameters<typeof node.submit>[0];
      await expect(node.submit(item)).rejects.toMatchObject({
        code: 'invalid',
        field: `items[0].${Object.keys(wrong)[0]}`,
      });
    }
    await expect(node.submit({ job: 'mail', inputBase64: 'a' })).rejects.toMatchObject({
      field: 'items[0].inputBase64',
    });
  });
});

describe('logs', () => {
  it('API-05 pages the lines of a run, of a task and of an attempt, with names', async () => {
    await node.define('graph', GRAPH);
    const id = await node.submit({ job: 'graph' });
    const run = parseRunId(id) as RunId;
    const base = { tenant: 'acme', run, atMs: 1_000, stream: 'stdout' };
    await node.disk.appendLogs(
      Array.from({ length: 25 }, (_, i) => ({
        ...base,
        task: i < 15 ? 0 : 1,
        attempt: i < 10 ? 1 : 2,
        number: i,
        text: `line ${i}`,
      })),
    );
    const seen: string[] = [];
    for (let after: string | undefined, more = true; more; more = after !== undefined) {
      const page = await runLogs(node.context, caller(), {
        id,
        limit: 10,
        ...(after === undefined ? {} : { after }),
      });
      seen.push(...page.items.map((line) => `${line.task} ${line.text}`));
      after = page.next;
    }
    expect(seen).toHaveLength(25);
    expect([seen[0], seen[24]]).toEqual(['a line 0', 'b line 24']);
    const second = await taskLogs(node.context, caller(), { id: `${id}:a`, attempt: 2 });
    expect(second.items.map((line) => line.number)).toEqual([10, 11, 12, 13, 14]);
    expect(second.next).toBeUndefined();
    const stranger = caller({ tenant: 'other' });
    await expect(runLogs(node.context, stranger, { id })).rejects.toMatchObject({
      code: 'not_found',
    });
    await expect(runLogs(node.context, caller(), { id, after: 'x' })).rejects.toMatchObject({
      code: 'bad_request',
    });
  });
});

describe('workers and queues', () => {
  it('API-04 shows the fleet by name, with what is free, and maintains it', async () => {
    for (const name of ['c', 'a', 'b']) node.attach(name, HOLD, { total: { slots: 2 } });
    await node.submit({ job: 'mail' });
    await node.arrived(1);
    const first = await listWorkers(node.context, caller(), { limit: 2 });
    expect(first.items.map(({ name }) => name)).toEqual(['a', 'b']);
    const rest = await listWorkers(node.context, caller(), {
      ...{ limit: 2, after: first.next as string },
    });
    expect(rest.items.map(({ name }) => name)).toEqual(['c']);
    const all = [...first.items, ...rest.items];
    expect(all.reduce((sum, worker) => sum + worker.free.slots, 0)).toBe(5);
    const busy = all.find(({ attempts }) => attempts === 1)?.name as string;
    const of = { name: busy };
    expect((await cordonWorker(node.context, caller(), of)).status).toBe('cordoned');
    expect((await uncordonWorker(node.context, caller(), of)).status).toBe('healthy');
    expect((await drainWorker(node.context, caller(), of)).status).toBe('draining');
    await evictWorker(node.context, caller(), of);
    await node.arrived(2);
    expect(node.attempts[1]?.workerName).not.toBe(busy);
    await expect(getWorker(node.context, caller(), { name: 'no-one' })).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it('API-06 says that it cannot count yet while partitions are being read, never that nothing waits', async () => {
    await node.define('mail');
    for (let i = 0; i < 3; i++) await node.submit({ job: 'mail' });
    await node.stop();
    node = SmallNode.idle({ disk: node.disk });
    const { loop } = node.context;
    const depth = async () => (await queueDepth(node.context, caller(), {})).items[1]?.queued;
    const early: Promise<unknown>[] = [depth().catch((error: unknown) => error)];
    const apply = loop.engine.apply.bind(loop.engine);
    vi.spyOn(loop.engine, 'apply').mockImplementation((command, now, random) => {
      // Its lease is held and everything has been read; only the engine has not been told yet.
      if (command.kind === 'takePartition') early.push(depth().catch((error: unknown) => error));
      return apply(command, now, random);
    });
    await loop.start();
    while (![0, 1, 2, 3].every((partition) => loop.hasRead(partition))) await turn();
    expect(await depth()).toBe(3);
    expect(early).toHaveLength(5);
    for (const answer of await Promise.all(early)) {
      expect(answer).toMatchObject({ code: 'unavailable' });
    }
  });

  it('API-06 counts what is ready truly, also what waits in the store', async () => {
    await node.stop();
    node = await SmallNode.start({ engine: { queueWindow: 20, pageSize: 10 } });
    await node.define('mail');
    for (let i = 0; i < 130; i++) await node.submit({ job: 'mail' });
    for (let i = 0; i < 5; i++) await node.submit({ job: 'mail', priority: 'P2' });
    await node.submit({ job: 'mail', delay: 86_400_000 });
    const depth = async (who = caller()) => (await queueDepth(node.context, who, {})).items;
    expect(await depth()).toEqual([
      { tenant: 'acme', priority: 'P0', queued: 0, running: 0 },
      { tenant: 'acme', priority: 'P1', queued: 130, running: 0 },
      { tenant: 'acme', priority: 'P2', queued: 5, running: 0 },
    ]);
    node.attach('w', HOLD, { total: { slots: 7 } });
    await node.arrived(7);
    await node.context.loop.flushed();
    expect((await depth())[1]).toEqual({ tenant: 'acme', priority: 'P1', queued: 123, running: 7 });
    expect((await depth(caller({ tenant: 'other' })))[1]).toMatchObject({ queued: 0, running: 0 });
    const everyone = await depth(caller({ tenant: '*', platform: true }));
    expect(everyone.reduce((sum, { queued }) => sum + queued, 0)).toBe(128);
  });
});
