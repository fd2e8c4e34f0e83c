import { describe, expect, it } from 'vitest';
import { fail, pipelineWorld, stateOf } from './testing/pipeline-world.ts';

const { answers, ask, define, ended, forget, given, post, submit, until } = pipelineWorld();

describe('a failure, over HTTP', () => {
  it('DAG-15 DAG-17 pauses on failure and goes on from there; another job of the tenant fails fast', async () => {
    const tasks = [{ name: 'a' }, { name: 'b', after: ['a'] }, { name: 'c', after: ['b'] }];
    await define('careful', { failurePolicy: 'PAUSE', tasks });
    await define('hasty', { tasks });
    answers['b'] = fail;
    const [careful, hasty] = [await submit('careful'), await submit('hasty')];
    const paused = await until(careful, (view) => view.state === 'PAUSED');
    expect(paused.paused).toMatchObject({ why: 'task_failed' });
    expect((await ended(hasty)).state).toBe('FAILED');
    delete answers['b'];
    expect((await post(`/runs/${careful}/resume`, {})).status).toBe(200);
    expect((await ended(careful)).state).toBe('SUCCEEDED');
    expect(given['a']).toHaveLength(2);
  });

  it('DAG-18 retries one task and what it held up, all that failed, or everything', async () => {
    await define('fan', {
      failurePolicy: 'FAIL_AFTER_ALL',
      tasks: [
        { name: 'list' },
        { name: 'each', after: ['list'], fanOut: { from: 'list' } },
        { name: 'join', after: ['each'] },
      ],
    });
    answers['list'] = () => 100;
    answers['each'] = (input: { partition: number }) => (input.partition === 47 ? fail() : 1);
    const id = await submit('fan');
    expect((await ended(id)).state).toBe('FAILED');
    delete answers['each'];
    forget();
    const again = async (tasks: unknown) => {
      const answer = await post(`/runs/${id}/retry`, { tasks });
      expect(answer.status, answer.text).toBe(201);
      return ended(answer.json<{ id: string }>().id);
    };
    expect((await again(['each_chunk_47'])).state).toBe('SUCCEEDED');
    expect(Object.keys(given).sort()).toEqual(['each_chunk_47', 'join']);
    expect(given['join']?.[0]?.parents).toMatchObject({ each: { total: 100, failures: [] } });
    forget();
    expect((await again('failed')).state).toBe('SUCCEEDED');
    expect(Object.keys(given).sort()).toEqual(['each_chunk_47', 'join']);
    forget();
    expect((await again(['each'])).state).toBe('SUCCEEDED');
    expect(Object.keys(given).sort()).toEqual(['each_chunk_47', 'join']);
    const alone = await post(`/runs/${id}/retry`, { tasks: ['join'] });
    expect(alone.status).toBe(409);
    expect(alone.text).toContain('join comes after each, which did not succeed');
    forget();
    expect((await again('all')).state).toBe('SUCCEEDED');
    expect(Object.keys(given)).toHaveLength(102);
  });

  it('keeps what was put aside as it ended, and does anew what went on without it', async () => {
    await define('fan', {
      failurePolicy: 'SKIP_FAILED',
      tasks: [
        { name: 'list' },
        { name: 'each', after: ['list'], fanOut: { from: 'list' } },
        { name: 'join', after: ['each'] },
        { name: 'broken' },
      ],
    });
    const breakDown = () => {
      throw new Error('it broke');
    };
    answers['list'] = () => 3;
    answers['each'] = (input: { partition: number }) => (input.partition === 1 ? fail() : 1);
    answers['broken'] = breakDown;
    const id = await submit('fan');
    const first = await ended(id);
    expect(first.state).toBe('PARTIAL');
    expect(stateOf(first, 'broken')).toBe('QUARANTINED');
    delete answers['each'];
    forget();
    const answer = await post(`/runs/${id}/retry`, { tasks: ['each_chunk_1'] });
    const second = await ended(answer.json<{ id: string }>().id);
    expect(stateOf(second, 'broken')).toBe('QUARANTINED');
    expect(stateOf(second, 'join')).toBe('SUCCEEDED');
    expect(Object.keys(given).sort()).toEqual(['each_chunk_1', 'join']);
    expect(given['join']?.[0]?.parents).toMatchObject({ each: { total: 3, failures: [] } });
  });

  it('DAG-18 retries the failed part of a fan-out that was added at run time, and no more', async () => {
    await define('grown', {
      failurePolicy: 'FAIL_AFTER_ALL',
      tasks: [{ name: 'plan', dynamic: true }],
    });
    const work = { handler: 'work', retry: { maxAttempts: 1 } };
    answers['plan'] = () => ({
      tasks: [
        { name: 'list', ...work },
        { name: 'each', after: ['list'], fanOut: { from: 'list' }, ...work },
        { name: 'join', after: ['each'], ...work },
      ],
    });
    answers['list'] = () => 5;
    answers['each'] = (input: { partition: number }) => (input.partition === 3 ? fail() : 1);
    const id = await submit('grown');
    expect((await ended(id)).state).toBe('FAILED');
    delete answers['each'];
    const again = async (tasks: unknown) => {
      forget();
      const answer = await post(`/runs/${id}/retry`, { tasks });
      expect(answer.status, answer.text).toBe(201);
      expect((await ended(answer.json<{ id: string }>().id)).state).toBe('SUCCEEDED');
      return Object.keys(given).sort();
    };
    for (const scope of ['failed', ['each'], ['each_chunk_3']]) {
      expect(await again(scope)).toEqual(['each_chunk_3', 'join']);
      expect(given['join']?.[0]?.parents).toMatchObject({ each: { total: 5, failures: [] } });
    }
    // The list that it was made of is made again, and with it the fan-out.
    expect(await again(['list', 'each'])).toHaveLength(8);
  });

  it('keeps the reasons of tasks that a retry leaves as they ended', async () => {
    const retry = { maxAttempts: 1, onExhausted: 'fail' } as const;
    await define('reasons', {
      failurePolicy: 'CONTINUE',
      tasks: [
        { name: 'gate', approval: { timeout: 1, default: 'reject' } },
        { name: 'left', retry },
        { name: 'again', retry },
        { name: 'fine' },
      ],
    });
    answers['left'] = fail;
    answers['again'] = fail;
    const id = await submit('reasons');
    const reasons = ['rejected', 'permanent', 'permanent', undefined];
    expect((await ended(id)).tasks.map(({ reason }) => reason)).toEqual(reasons);
    const answer = await post(`/runs/${id}/retry`, { tasks: ['again'] });
    const retried = await ended(answer.json<{ id: string }>().id);
    expect(retried.tasks.map(({ reason }) => reason)).toEqual(reasons);
    expect(retried.tasks.map(({ attempts }) => attempts.length)).toEqual([0, 0, 1, 0]);
  });

  it('refuses to retry a run of which nothing is left to do', async () => {
    await define('done', { tasks: [{ name: 'a' }, { name: 'b', when: 'false' }] });
    const id = await submit('done');
    expect((await ended(id)).state).toBe('SUCCEEDED');
    expect((await post(`/runs/${id}/retry`, {})).status).toBe(409);
    expect((await ended(await submit('done'))).state).toBe('SUCCEEDED');
  });

  it("DAG-26 re-evaluates on an operator's word, again and again, with an entry in the audit log", async () => {
    await define('ask', { tasks: [{ name: 'ok', approval: {} }] });
    const id = await submit('ask');
    for (let i = 0; i < 2; i++) expect((await post(`/runs/${id}/reevaluate`, {})).status).toBe(200);
    const audit = (await ask('/audit')).text;
    expect(audit).toContain('run.reevaluate');
  });

  it('shows the error of the last attempt only, and none once it succeeded', async () => {
    const retry = { maxAttempts: 3, backoff: [1] };
    await define('flaky', {
      tasks: [
        { name: 'a', retry },
        { name: 'b', after: ['a'], approval: {} },
      ],
    });
    let tries = 0;
    answers['a'] = () => {
      if (++tries < 3) throw new Error('not yet');
    };
    const id = await submit('flaky');
    const live = await until(id, (view) => stateOf(view, 'a') === 'SUCCEEDED');
    await post(`/runs/${id}/tasks/b/approval`, { decision: 'approve' });
    for (const view of [live, await ended(id)]) {
      expect(view.tasks[0]).toMatchObject({ state: 'SUCCEEDED', error: null });
      expect(view.tasks[0]?.attempts.map(({ outcome }) => outcome)).toHaveLength(3);
    }
  });

  it('FLT-15 a task that ran out of time is found by its state, apart from one that failed', async () => {
    const tasks = [{ name: 'slow', timeout: 20 }, { name: 'wrong' }, { name: 'fine' }];
    await define('mixed', { failurePolicy: 'CONTINUE', tasks });
    answers['slow'] = (_input, { signal }) =>
      new Promise((_resolve, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason)),
      );
    answers['wrong'] = fail;
    const id = await submit('mixed');
    expect((await ended(id)).state).toBe('PARTIAL');
    const found = async (state: string) => {
      const page = await ask(`/runs/${id}/tasks?state=${state}`);
      return page.json<{ items: { name: string }[] }>().items.map(({ name }) => name);
    };
    expect(await found('TIMED_OUT')).toEqual(['slow']);
    expect(await found('FAILED')).toEqual(['wrong']);
    expect(await found('SUCCEEDED')).toEqual(['fine']);
  });

  it('FLT-16 gives each attempt of a task an id of its own, and all of them the same run and task', async () => {
    await define('flaky', { tasks: [{ name: 'a', retry: { maxAttempts: 3, backoff: [1] } }] });
    const seen: { attemptId: string; runId: string; task: string }[] = [];
    answers['a'] = (_input, { attemptId, runId, task }) => {
      seen.push({ attemptId, runId, task });
      if (seen.length < 3) throw new Error('not yet');
    };
    const id = await submit('flaky');
    const view = await ended(id);
    expect(seen.map(({ runId, task }) => [runId, task])).toEqual([1, 2, 3].map(() => [id, 'a']));
    const ids = seen.map(({ attemptId }) => attemptId);
    expect(new Set(ids).size).toBe(3);
    expect(view.tasks[0]?.attempts.map((attempt) => attempt.id)).toEqual(ids);
  });

  it('shows no error of a task that is the last of its run, and succeeded at last', async () => {
    await define('flaky', {
      tasks: [{ name: 'a', retry: { maxAttempts: 2, backoff: { type: 'fixed', delay: 1 } } }],
    });
    let tries = 0;
    answers['a'] = () => {
      if (++tries < 2) throw new Error('not yet');
    };
    const view = await ended(await submit('flaky'));
    expect(view.tasks[0]).toMatchObject({ state: 'SUCCEEDED', error: null });
    expect(view.tasks[0]?.attempts).toHaveLength(2);
  });
});
