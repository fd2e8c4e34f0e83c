import type { RunView, TaskView } from '@signalbox/protocol';
import { expect, it } from 'vitest';
import { pipelineWorld } from './testing/pipeline-world.ts';

const world = pipelineWorld();
const { define, submit, ended, ask, given, answers } = world;

it('FLT-06 a task is quarantined after five attempts, and only a key that may can have it tried again, which is audited', async () => {
  let isBroken = true;
  answers['main'] = () => {
    if (isBroken) throw new Error('the database is down');
    return 'done';
  };
  const retry = { backoff: { type: 'fixed', delay: 1 } } as const;
  await define('poison', { tasks: [{ name: 'main', retry }] });
  const id = await submit('poison');
  const view = await ended(id);
  expect(view.tasks[0]).toMatchObject({
    state: 'QUARANTINED',
    error: expect.stringContaining('database is down'),
  });
  expect(given['main']).toHaveLength(5);
  isBroken = false;
  const makeKey = async (role: string): Promise<string> =>
    (await ask('/keys', { body: { role } })).json<{ secret: string }>().secret;
  const viewer = await makeKey('viewer');
  const operator = await makeKey('operator');
  const retryAs = (key: string | null) =>
    ask(`/runs/${id}/retry`, { key, body: { reason: 'the database is back' } });
  expect((await retryAs(null)).status).toBe(401);
  expect((await retryAs(viewer)).status).toBe(403);
  expect(given['main']).toHaveLength(5);
  const cleared = await retryAs(operator);
  expect(cleared.status, cleared.text).toBe(201);
  const again = await ended(cleared.json<{ id: string }>().id);
  const by = operator.split('_')[1];
  expect(again).toMatchObject({ state: 'SUCCEEDED', trigger: { kind: 'retry', by } });
  expect(given['main']).toHaveLength(6);
  // The quarantined run keeps its end.
  expect((await ask(`/runs/${id}`)).json<RunView>().tasks[0]?.state).toBe('QUARANTINED');
  const { items } = (await ask('/audit?limit=1000')).json<{ items: Record<string, string>[] }>();
  expect(items.at(-1)).toMatchObject({
    action: 'run.retry',
    target: id,
    actor: by,
    reason: 'the database is back',
  });
  expect(items.filter(({ action }) => action === 'run.retry')).toHaveLength(1);
});

it('FLT-13 quarantined tasks are listed by job and tried again one by one or together; their history stays', async () => {
  let isBroken = true;
  answers['main'] = () => {
    if (isBroken) throw new Error('the database is down');
    return 'done';
  };
  const retry = { maxAttempts: 1 };
  for (const job of ['letters', 'parcels']) await define(job, { tasks: [{ name: 'main', retry }] });
  const letters = [await submit('letters'), await submit('letters'), await submit('letters')];
  const parcels = [await submit('parcels')];
  for (const id of [...letters, ...parcels]) expect((await ended(id)).state).toBe('FAILED');
  const dead = async (query: string): Promise<string[]> => {
    const answer = await ask(`/tasks?state=QUARANTINED${query}`);
    return answer.json<{ items: TaskView[] }>().items.map(({ id }) => id.split(':')[0] as string);
  };
  expect(new Set(await dead(''))).toEqual(new Set([...letters, ...parcels]));
  expect(await dead('&job=letters')).toEqual(letters.toReversed());
  isBroken = false;
  const one = await ask(`/runs/${letters[0]}/retry`, { body: { reason: 'one by one' } });
  expect(one.status).toBe(201);
  expect((await ended(one.json<{ id: string }>().id)).state).toBe('SUCCEEDED');
  const filter = { filter: { job: 'letters', state: 'FAILED' } };
  const dry = await ask('/runs/retry', { body: { ...filter, dryRun: true } });
  expect(dry.json()).toMatchObject({ count: 3, done: 0 });
  const all = await ask('/runs/retry', { body: filter });
  const { created } = all.json<{ created: { id: string; retryOf: string }[] }>();
  expect(created.map(({ retryOf }) => retryOf).sort()).toEqual([...letters].sort());
  for (const { id } of created) expect((await ended(id)).state).toBe('SUCCEEDED');
  // What failed keeps its attempts and its error, and the other job is as it was.
  for (const id of [...letters, ...parcels]) {
    const { state, tasks } = (await ask(`/runs/${id}`)).json<RunView>();
    expect(state).toBe('FAILED');
    expect(tasks[0]).toMatchObject({ state: 'QUARANTINED', attempts: [{ outcome: 'transient' }] });
    expect(tasks[0]?.error).toContain('the database is down');
  }
  expect((await ask('/runs?job=parcels')).json<{ items: RunView[] }>().items).toHaveLength(1);
});

it('OBS-13 one request tells when a job last ran, for how long, and how often of late it failed', async () => {
  let count = 0;
  answers['main'] = () => {
    if (++count % 3 === 0) throw new Error('now and then');
    return count;
  };
  await define('nightly', { tasks: [{ name: 'main', retry: { maxAttempts: 1 } }] });
  const ids: string[] = [];
  for (let i = 0; i < 9; i++) {
    ids.push(await submit('nightly'));
    await ended(ids.at(-1) as string);
  }
  const { items } = (await ask('/jobs/nightly/runs?limit=9')).json<{ items: RunView[] }>();
  expect(items.map(({ id }) => id)).toEqual(ids.toReversed());
  expect(items.map(({ state }) => state)).toEqual(
    ids.map((_, i) => ((9 - i) % 3 === 0 ? 'FAILED' : 'SUCCEEDED')),
  );
  const view = (await ask(`/runs/${items[0]?.id}`)).json<RunView>();
  expect(items[0]).toMatchObject({ submittedAt: view.submittedAt, endedAt: view.endedAt });
  for (const { submittedAt, endedAt } of items) {
    expect(Date.parse(endedAt ?? '')).toBeGreaterThanOrEqual(Date.parse(submittedAt));
  }
});
