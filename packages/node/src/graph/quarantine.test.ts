import type { RunView } from '@signalbox/protocol';
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
  const retry = { backoff: { type: 'fixed', delay: 0 } } as const;
  await define('poison', { tasks: [{ name: 'main', retry }] });
  const id = await submit('poison');
  const view = await ended(id);
  expect(view.tasks[0]).toMatchObject({ state: 'QUARANTINED', error: expect.stringContaining("database is down") });
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
