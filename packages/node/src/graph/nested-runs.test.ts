import type { RunView } from '@signalbox/protocol';
import { describe, expect, it } from 'vitest';
import { fail, pipelineWorld } from './testing/pipeline-world.ts';

const { answers, ask, define, ended, given, post, submit, until } = pipelineWorld();

describe('a nested run, over HTTP', () => {
  it('PRI-13 runs another job with its input and gives back its output, as urgent as itself', async () => {
    await define('inner', { priority: 'P2', tasks: [{ name: 'in' }] });
    await define('outer', {
      priority: 'P0',
      tasks: [
        { name: 'a' },
        { name: 'nested', after: ['a'], run: { job: 'inner' }, inputs: { from: { task: 'a' } } },
        { name: 'b', after: ['nested'] },
      ],
    });
    answers['in'] = (input: { from: string }) => ({ got: input.from });
    const view = await ended(await submit('outer'));
    expect(view.state).toBe('SUCCEEDED');
    expect(given['b']?.[0]?.parents).toMatchObject({ nested: { output: { got: 'a' } } });
    const inner = (await ask('/runs?job=inner')).json<{ items: RunView[] }>().items;
    expect(inner).toMatchObject([{ priority: 'P0', state: 'SUCCEEDED' }]);
  });

  it('PRI-13 starts before everything less urgent that waited longer: no P0 waits behind a P2', async () => {
    const started: string[] = [];
    const blocked: (() => void)[] = [];
    answers['bulk'] = () => {
      started.push('bulk');
      return new Promise<void>((resolve) => blocked.push(resolve));
    };
    answers['in'] = () => started.push('in');
    await define('bulk', { priority: 'P2', tasks: [{ name: 'bulk' }] });
    await define('inner', { priority: 'P2', tasks: [{ name: 'in' }] });
    await define('outer', { priority: 'P0', tasks: [{ name: 'nested', run: { job: 'inner' } }] });
    // Twenty take every slot of the worker, and forty wait.
    for (let i = 0; i < 60; i++) await submit('bulk');
    await expect.poll(() => blocked.length).toBe(20);
    const outer = await submit('outer');
    const inner = async () => (await ask('/runs?job=inner')).json<{ items: RunView[] }>().items;
    await expect.poll(inner).toMatchObject([{ state: 'PENDING', priority: 'P0' }]);
    blocked.shift()?.();
    expect((await ended(outer)).state).toBe('SUCCEEDED');
    expect(started.slice(0, 21)).toEqual([...Array(20).fill('bulk'), 'in']);
    answers['bulk'] = () => null;
    for (const release of blocked.splice(0)) release();
  });

  it('does not grow for ever where a job nests itself, and nobody can stand in for a nested run', async () => {
    await define('again', { tasks: [{ name: 'deeper', run: { job: 'again' } }] });
    const id = await submit('again');
    expect((await ended(id)).state).toBe('FAILED');
    const runs = (await ask('/runs?job=again')).json<{ items: RunView[] }>().items;
    expect(runs).toHaveLength(17);
    expect(runs.filter(({ idempotencyKey }) => idempotencyKey !== undefined)).toEqual([]);
  });

  it('begins a nested run anew when a run that was held for its failure is resumed', async () => {
    await define('inner', { tasks: [{ name: 'work' }] });
    await define('outer', {
      failurePolicy: 'PAUSE',
      tasks: [{ name: 'n', run: { job: 'inner' } }],
    });
    answers['work'] = fail;
    const id = await submit('outer');
    await until(id, ({ state }) => state === 'PAUSED');
    delete answers['work'];
    expect((await post(`/runs/${id}/resume`, {})).status).toBe(200);
    expect((await ended(id)).state).toBe('SUCCEEDED');
    const { items } = (await ask('/runs?job=inner')).json<{ items: RunView[] }>();
    expect(items.map(({ state }) => state).sort()).toEqual(['FAILED', 'SUCCEEDED']);
  });

  it('cancels the nested run with the run that waits for it', async () => {
    await define('inner', { tasks: [{ name: 'ask', approval: {} }] });
    await define('outer', { tasks: [{ name: 'nested', run: { job: 'inner' } }] });
    const id = await submit('outer');
    const inner = async () => (await ask('/runs?job=inner')).json<{ items: RunView[] }>().items;
    while ((await inner()).length === 0);
    await post(`/runs/${id}/cancel`, {});
    expect((await ended(id)).state).toBe('CANCELLED');
    const [nested] = await inner();
    expect((await ended(nested?.id ?? '')).state).toBe('CANCELLED');
  });
});
