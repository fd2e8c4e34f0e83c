import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startNode } from '@signalbox/node';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { job, type Pipeline, pipeline, type RunView, Signalbox } from './index.ts';

let folder: string;
let store: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signalbox-restarts-'));
  store = `file:${join(folder, 'box.db')}`;
});
afterEach(() => rm(folder, { recursive: true }));

async function allRuns(box: Signalbox): Promise<RunView[]> {
  const found: RunView[] = [];
  for await (const run of box.runs.all()) found.push(run);
  return found;
}

it('U025 restarts add no run, and what is queued is cancelled with one call', async () => {
  // No worker runs it.
  const nobody = job('nobody', (_input: number) => {});
  let box = await Signalbox.open(store);
  await box.apply([nobody]);
  const submitted: string[] = [];
  for (let i = 0; i < 40; i++) submitted.push((await box.submit(nobody, i)).id);
  for (let i = 0; i < 10; i++) submitted.push((await box.submit(nobody, i, { delay: '1d' })).id);
  for (let restart = 0; restart < 5; restart++) {
    await box.close();
    box = await Signalbox.open(store);
    const runs = await allRuns(box);
    expect(runs.map(({ id }) => id)).toEqual(submitted.toReversed());
    expect(new Set(runs.map(({ state }) => state))).toEqual(new Set(['PENDING']));
  }
  const filter = { job: 'nobody' };
  expect(await box.runs.cancel({ filter, limit: 1_000 })).toMatchObject({ count: 50 });
  expect(new Set((await allRuns(box)).map(({ state }) => state))).toEqual(new Set(['CANCELLED']));
  await box.close();
});

it('U084 jobs and schedules live in the store: they fire without a client that registers them', async () => {
  const key = 'Zk3vQ9xT7mB2wR8nL5cJ1hD6gF4sA0pE';
  const options = { store, http: { host: '127.0.0.1', port: 0 }, rootKey: key } as const;
  const first = await startNode(options);
  await first.ready();
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const put = async (path: string, body: object) => {
    const sent = { method: 'PUT', headers, body: JSON.stringify(body) };
    expect((await fetch(`${first.url}/api/v1${path}`, sent)).ok).toBe(true);
  };
  await put('/jobs/tick', { tasks: [{ name: 'main', handler: 'tick' }] });
  await put('/schedules/often', { job: 'tick', every: '1s' });
  await first.stop();

  const second = await startNode(options);
  await second.ready();
  const windows: string[] = [];
  const enough = Promise.withResolvers<void>();
  // Only a handler: this client knows nothing of the schedule.
  const tick = job('tick', (_input: unknown, { window }) => {
    windows.push(`${window?.schedule} ${window?.at.toISOString()}`);
    if (windows.length === 2) enough.resolve();
  });
  const box = await Signalbox.connect(second.url as string, { key });
  await box.work([tick]);
  await enough.promise;
  for (const window of windows) expect(window).toMatch(/^often \d{4}-/);
  await box.close();
  await second.stop();
}, 60_000);

it('U092 a run goes on after a deploy of other code: no replay, and the graph of its version', async () => {
  const calls: string[] = [];
  const random = () => Math.random() * Date.now();
  const before = pipeline('etl', (p: Pipeline) => {
    const extract = p.task('extract', () => {
      calls.push('extract 1');
      return random();
    });
    const gate = p.approval('gate', { after: [extract] });
    return p.task('load', { inputs: { extract }, after: [gate] }, ({ extract }) => {
      calls.push('load 1');
      return extract;
    });
  });
  let box = await Signalbox.open(store);
  await box.work([before]);
  const run = await box.submit(before);
  let extracted: unknown;
  while (!(await run.view()).tasks.some(({ name, wait }) => name === 'gate' && wait != null)) {
    await new Promise(setImmediate);
  }
  await box.close();
  // Other code for the same tasks, one task less, a new one, and nothing that is deterministic.
  const after = pipeline('etl', (p: Pipeline) => {
    const extract = p.task('extract', () => {
      calls.push('extract 2');
      return random();
    });
    const check = p.task('check', { inputs: { extract } }, ({ extract }) => {
      calls.push('check 2');
      return extract;
    });
    return p.task('load', { inputs: { extract }, after: [check] }, (inputs) => {
      calls.push('load 2');
      extracted = inputs.extract;
      return 'loaded by the new code';
    });
  });
  box = await Signalbox.open(store);
  await box.work([after]);
  const old = await box.runs.handle(run.id);
  await box.approve(`${run.id}:gate`);
  expect(await old.result()).toBe('loaded by the new code');
  const view = await old.view();
  expect(view.jobVersion).toBe(1);
  expect(view.tasks.map(({ name }) => name)).toEqual(['extract', 'gate', 'load']);
  // What had succeeded was not run again; its output is the recorded one.
  expect(calls).toEqual(['extract 1', 'load 2']);
  expect(typeof extracted).toBe('number');
  const next = await box.submit(after);
  await next.result();
  const { jobVersion, tasks } = await next.view();
  expect([jobVersion, tasks.map(({ name }) => name)]).toEqual([2, ['extract', 'check', 'load']]);
  await box.close();
});
