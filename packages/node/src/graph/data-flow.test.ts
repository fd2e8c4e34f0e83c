import { describe, expect, it } from 'vitest';
import { fail, pipelineWorld, stateOf } from './testing/pipeline-world.ts';

const { answers, ask, define, ended, given, post, submit, until } = pipelineWorld();

describe('what flows along a graph, over HTTP', () => {
  it('DAG-01 TRG-25 gives children the outputs of their parents, under the version it began with', async () => {
    await define('etl', {
      tasks: [
        { name: 'extract' },
        { name: 'check', after: ['extract'] },
        {
          name: 'load',
          after: ['extract', 'check'],
          inputs: {
            rows: { task: 'extract', path: 'rows' },
            first: { task: 'extract', path: 'rows.0.id' },
            day: { path: 'day' },
            mode: { value: 'full' },
          },
        },
      ],
    });
    answers['extract'] = () => ({ rows: [{ id: 7 }, { id: 8 }] });
    let edited: Promise<void> | null = null;
    answers['check'] = async () => {
      edited ??= define2();
      await edited;
      return 'ok';
    };
    const define2 = async () => {
      const changed = await ask('/jobs', {
        body: { name: 'etl', definition: { tasks: [{ name: 'other', handler: 'work' }] } },
      });
      expect(changed.status).toBe(200);
    };
    const view = await ended(await submit('etl', { day: '2026-01-01' }));
    expect(view).toMatchObject({ state: 'SUCCEEDED', jobVersion: 1, output: 'load' });
    expect(given['load']).toEqual([
      {
        input: { rows: [{ id: 7 }, { id: 8 }], first: 7, day: '2026-01-01', mode: 'full' },
        parents: {
          extract: { state: 'SUCCEEDED', output: { rows: [{ id: 7 }, { id: 8 }] } },
          check: { state: 'SUCCEEDED', output: 'ok' },
        },
      },
    ]);
    expect(view.tasks.map(({ name }) => name)).toEqual(['extract', 'check', 'load']);
    const next = await ended(await submit('etl'));
    expect(next.jobVersion).toBe(2);
    expect(next.tasks.map(({ name }) => name)).toEqual(['other']);
  });

  it('DAG-06 DAG-13 tells each of 100 children its place, and the join which of them failed', async () => {
    await define('hundred', {
      failurePolicy: 'SKIP_FAILED',
      tasks: [
        { name: 'list' },
        { name: 'each', after: ['list'], fanOut: { from: 'list' } },
        { name: 'join', after: ['each'] },
      ],
    });
    answers['list'] = () => 100;
    answers['each'] = ({ partition }: { partition: number }) => (partition === 47 ? fail() : 1);
    expect((await ended(await submit('hundred'))).state).toBe('PARTIAL');
    const inputs = Array.from({ length: 100 }, (_, i) => given[`each_chunk_${i}`]?.[0]?.input);
    expect(inputs).toEqual(inputs.map((_, partition) => ({ partition, total: 100 })));
    const failures = [{ task: 'each_chunk_47', partition: 47, state: 'FAILED' }];
    expect(given['join']).toMatchObject([{ parents: { each: { total: 100, failures } } }]);
  });

  it('DAG-06 DAG-07 DAG-13 fans out over items and joins results and failures', async () => {
    await define('fan', {
      failurePolicy: 'SKIP_FAILED',
      tasks: [
        { name: 'list' },
        { name: 'each', after: ['list'], fanOut: { from: 'list', path: 'files' } },
        { name: 'join', after: ['each'] },
      ],
    });
    answers['list'] = () => ({ files: ['a', 'b', 'c'] });
    answers['each'] = (input: { item: string }) => (input.item === 'b' ? fail() : input.item + '!');
    const view = await ended(await submit('fan'));
    expect(view.state).toBe('PARTIAL');
    expect(given['each_chunk_2']?.[0]?.input).toEqual({ partition: 2, total: 3, item: 'c' });
    expect(given['join']?.[0]?.parents).toMatchObject({
      each: {
        state: 'SUCCEEDED',
        total: 3,
        results: [
          { partition: 0, output: 'a!' },
          { partition: 2, output: 'c!' },
        ],
        failures: [{ task: 'each_chunk_1', partition: 1, state: 'FAILED' }],
      },
    });
    expect(view.tasks.map(({ name }) => name)).toEqual([
      ...['list', 'each', 'join', 'each_chunk_0', 'each_chunk_1', 'each_chunk_2'],
    ]);
  });

  it('DAG-20 runs commands as children of a fan-out, and commands that were added', async () => {
    const cat = { argv: ['cat'], stdin: 'input' as const };
    await define('commands', {
      tasks: [
        { name: 'list' },
        { name: 'plan', dynamic: true, after: ['list'] },
        { name: 'each', after: ['list'], fanOut: { from: 'list' }, command: cat },
        { name: 'join', after: ['each'] },
      ],
    });
    answers['list'] = () => ['a', 'b'];
    answers['plan'] = () => ({
      tasks: [{ name: 'added', after: ['plan'], command: { argv: ['echo', '"added"'] } }],
      edges: [{ from: 'added', to: 'join' }],
    });
    const view = await ended(await submit('commands'));
    expect(view.state, JSON.stringify(view.tasks)).toBe('SUCCEEDED');
    expect(given['join']?.[0]?.parents).toMatchObject({
      added: { output: 'added' },
      each: { results: [{ output: { partition: 0, item: 'a' } }, { output: { item: 'b' } }] },
    });
  });

  it('DAG-19 skips what its condition says is not needed', async () => {
    await define('cond', {
      tasks: [
        { name: 'count' },
        { name: 'many', after: ['count'], when: 'tasks.count.output.n > 10' },
        { name: 'few', after: ['count'], when: 'tasks.count.output.n <= 10 && input.live' },
        { name: 'after', after: ['many', 'few'], ifParentSkipped: 'run' },
        { name: 'gone', after: ['many'] },
      ],
    });
    answers['count'] = () => ({ n: 3 });
    const view = await ended(await submit('cond', { live: true }));
    expect(view.state).toBe('SUCCEEDED');
    expect(Object.fromEntries(view.tasks.map(({ name, state }) => [name, state]))).toEqual({
      count: 'SUCCEEDED',
      many: 'SKIPPED',
      few: 'SUCCEEDED',
      after: 'SUCCEEDED',
      gone: 'SKIPPED',
    });
  });

  it('refuses a condition that could never be evaluated, and names the place', async () => {
    const tasks = [{ name: 'a', when: 'tasks.x.output >' }];
    const refused = await ask('/jobs', { body: { name: 'bad', definition: { tasks } } });
    expect(refused.error()).toMatchObject({ code: 'invalid', field: 'tasks[0].when' });
  });

  it.each([
    ['a task that is none', [{ name: 'a' }, { name: 'b', when: 'tasks.nope.output == 1' }]],
    ['one that is no parent', [{ name: 'a' }, { name: 'b', when: 'tasks.a.output > 1' }]],
  ])('refuses a condition over %s', async (_what, tasks) => {
    const refused = await ask('/jobs', { body: { name: 'bad', definition: { tasks } } });
    expect(refused.error()).toMatchObject({ code: 'invalid', field: 'tasks[1].when' });
  });

  it('DAG-19 looks at what a fan-out gave, and fans out over it again', async () => {
    await define('again', {
      failurePolicy: 'SKIP_FAILED',
      tasks: [
        { name: 'list' },
        { name: 'each', after: ['list'], fanOut: { from: 'list' } },
        {
          name: 'second',
          after: ['each'],
          fanOut: { from: 'each', path: 'results' },
          when: 'tasks.each.output.results.all(r, r.output.size > 0)',
        },
        { name: 'mend', after: ['each'], when: 'tasks.each.output.failures.size() > 1' },
        { name: 'join', after: ['second'] },
      ],
    });
    answers['list'] = () => ['a', 'b', 'c'];
    answers['each'] = ({ item }: { item: string }) =>
      item === 'b' ? fail() : { name: item, size: 3 };
    answers['second'] = ({ item }: { item: { output: { name: string } } }) => item.output.name;
    const view = await ended(await submit('again'));
    expect(view.state, JSON.stringify(view.tasks)).toBe('PARTIAL');
    expect(stateOf(view, 'mend')).toBe('SKIPPED');
    expect(given['second_chunk_1']?.[0]?.input).toEqual({
      partition: 1,
      total: 2,
      item: { partition: 2, output: { name: 'c', size: 3 } },
    });
    expect(given['join']?.[0]?.parents).toMatchObject({
      second: { results: [{ output: 'a' }, { output: 'c' }] },
    });
  });

  it('refuses a task that has the name of a child of a fan-out', async () => {
    const tasks = [
      { name: 'a' },
      { name: 'b', after: ['a'], fanOut: { from: 'a' } },
      { name: 'b_chunk_3' },
    ];
    const refused = await ask('/jobs', { body: { name: 'bad', definition: { tasks } } });
    expect(refused.error()).toMatchObject({ code: 'invalid', field: 'tasks[2].name' });
  });

  it.each([
    ['a condition', { name: 'x', when: 'tasks.plan.output >' }, 'tasks[0].when: '],
    ['a filter', { name: 'x', event: { type: 'e', filter: 'event.' } }, 'tasks[0].event.filter: '],
    ['a name', { name: 'each_chunk_0' }, 'is reserved for a child of the fan-out each'],
  ])(
    'DAG-03 fails the task that adds one with %s that could never be',
    async (_what, task, says) => {
      await define('grows', {
        tasks: [
          { name: 'plan', dynamic: true },
          { name: 'each', after: ['plan'], fanOut: { from: 'plan', path: 'items' } },
        ],
      });
      answers['plan'] = () => ({ tasks: [task], items: [] });
      const view = await ended(await submit('grows'));
      expect(stateOf(view, 'plan')).toBe('FAILED');
      expect(view.tasks[0]?.error).toContain(says);
    },
  );

  it('says what added tasks come after, live and when it has ended', async () => {
    await define('grows', {
      tasks: [
        { name: 'plan', dynamic: true },
        { name: 'end', after: ['plan'] },
      ],
    });
    answers['plan'] = () => ({
      tasks: [
        { name: 'x', after: ['plan'], approval: {} },
        { name: 'y', after: ['x'], sleep: { for: 0 } },
      ],
      edges: [{ from: 'y', to: 'end' }],
    });
    const id = await submit('grows');
    const live = await until(id, (view) => stateOf(view, 'x') !== undefined);
    const why = await ask(`/tasks/${id}:end/diagnosis`);
    expect(why.json()).toMatchObject({ detail: 'The task waits for 1 task: y (PENDING).' });
    await post(`/runs/${id}/tasks/x/approval`, { decision: 'approve' });
    for (const view of [live, await ended(id)]) {
      expect(view.tasks.map(({ name, after }) => [name, after])).toEqual([
        ['plan', undefined],
        ['end', ['plan', 'y']],
        ['x', ['plan']],
        ['y', ['x']],
      ]);
    }
  });
});
