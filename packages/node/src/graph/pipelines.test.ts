import { createHmac } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JobDefinition, RunView } from '@signalbox/protocol';
import { commandExecutor, type Handler, type HandlerContext, Worker } from '@signalbox/worker';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ApiWorld } from '../api/testing/api-world.ts';
import { connectInProcess } from '../gateway/in-process.ts';
import { webhookSecret } from './webhook-secret.ts';

let api: ApiWorld;
let worker: Worker;
/** What each handler was given, by the name of its task. */
let given: Record<string, { input: unknown; parents: unknown }[]>;
/** Answers of handlers, by the name of the task; a thrown error fails it for good. */
let answers: Record<string, (input: never, context: HandlerContext) => unknown>;

beforeEach(async () => {
  given = {};
  answers = {};
  api = await ApiWorld.start({
    httpTargets: { allowHttp: true, allowPrivate: true, ports: 'any' },
  });
  const work: Handler = (input: never, context) => {
    const told = { input, parents: context.parents };
    given[context.task] = [...(given[context.task] ?? []), told];
    const answer = answers[context.task] ?? answers[context.task.replace(/_chunk_\d+$/, '')];
    return answer === undefined ? context.task : answer(input, context);
  };
  const transport = connectInProcess(api.node.gateway);
  const executors = [await commandExecutor({ allow: true })];
  const total = { slots: 20 };
  worker = new Worker({ name: 'w', transport, handlers: { work }, executors, total });
  await worker.start();
});
afterEach(async () => {
  await worker.stop({ graceMs: 0 });
  await api.stop();
});

const fail = () => {
  throw Object.assign(new Error('validation: it broke'), { class: 'permanent' });
};

async function define(name: string, definition: JobDefinition): Promise<void> {
  const tasks = definition.tasks?.map((task) => {
    const waits = task.sleep ?? task.approval ?? task.event ?? task.run ?? task.command;
    return waits === undefined ? { handler: 'work', retry: { attemptsMax: 1 }, ...task } : task;
  });
  const made = await api.ask('/jobs', { body: { name, definition: { ...definition, tasks } } });
  expect(made.status, made.text).toBe(201);
}

async function submit(job: string, input: unknown = {}): Promise<string> {
  const answer = await api.ask('/runs', { body: { job, input } });
  return answer.json<{ id: string }>().id;
}

const ended = async (id: string) => (await api.ask(`/runs/${id}?waitMs=20000`)).json<RunView>();
const post = (path: string, body: object) => api.ask(path, { body });

/** Looks until it is so: what is waited for is told by nobody. */
async function until(id: string, holds: (view: RunView) => boolean): Promise<RunView> {
  const deadline = performance.now() + 20_000;
  for (;;) {
    const view = (await api.ask(`/runs/${id}`)).json<RunView>();
    if (holds(view)) return view;
    expect(performance.now(), JSON.stringify(view)).toBeLessThan(deadline);
  }
}

const stateOf = (view: RunView, task: string) =>
  view.tasks.find(({ name }) => name === task)?.state;

describe('a graph over HTTP', () => {
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
      const changed = await api.ask('/jobs', {
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
    expect((await ended(await submit('etl'))).jobVersion).toBe(2);
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
    const refused = await api.ask('/jobs', { body: { name: 'bad', definition: { tasks } } });
    expect(refused.error()).toMatchObject({ code: 'invalid', field: 'tasks[0].when' });
  });

  it('EXT-16 waits for a person; who, when and why are the output', async () => {
    await define('ask', {
      tasks: [
        { name: 'a' },
        { name: 'ok', after: ['a'], approval: {} },
        { name: 'b', after: ['ok'] },
      ],
    });
    const id = await submit('ask');
    await until(id, (view) => stateOf(view, 'a') === 'SUCCEEDED');
    const said = { decision: 'approve', comment: 'fine' };
    expect((await post(`/runs/${id}/tasks/nobody/approval`, said)).status).toBe(404);
    expect((await post(`/runs/${id}/tasks/ok/approval`, said)).status).toBe(200);
    expect((await post(`/runs/${id}/tasks/ok/approval`, said)).status).toBe(409);
    expect((await ended(id)).state).toBe('SUCCEEDED');
    expect(given['b']?.[0]?.parents).toMatchObject({
      ok: { output: { decision: 'approve', comment: 'fine', by: 'root' } },
    });
  });

  it('EXT-16 waits for an event that passes its filter, or is signalled by hand', async () => {
    const event = { type: 'paid', when: 'event.data.id == input.invoice' };
    await define('evt', { tasks: [{ name: 'e', event }] });
    const [sent, signalled] = [
      await submit('evt', { invoice: 7 }),
      await submit('evt', { invoice: 9 }),
    ];
    for (const id of [8, 7]) {
      const body = { specversion: '1.0', id: `e${id}`, source: 'shop', type: 'paid', data: { id } };
      const headers = { 'content-type': 'application/cloudevents+json' };
      const taken = await api.ask('/events', { raw: JSON.stringify(body), headers });
      expect(taken.status, taken.text).toBe(200);
    }
    expect(await ended(sent)).toMatchObject({ state: 'SUCCEEDED', output: { data: { id: 7 } } });
    const told = await post(`/runs/${signalled}/tasks/e/event`, { event: { id: 1 } });
    expect(told.status).toBe(200);
    expect(await ended(signalled)).toMatchObject({ state: 'SUCCEEDED', output: { id: 1 } });
  });

  it('PRI-13 runs another job with its input and gives back its output, as urgent as itself', async () => {
    await define('inner', { class: 'P2', tasks: [{ name: 'in' }] });
    await define('outer', {
      class: 'P0',
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
    const inner = (await api.ask('/runs?job=inner')).json<{ items: RunView[] }>().items;
    expect(inner).toMatchObject([{ class: 'P0', state: 'SUCCEEDED' }]);
  });

  it('does not grow for ever where a job nests itself, and nobody can stand in for a nested run', async () => {
    await define('again', { tasks: [{ name: 'deeper', run: { job: 'again' } }] });
    const id = await submit('again');
    expect((await ended(id)).state).toBe('FAILED');
    const runs = (await api.ask('/runs?job=again')).json<{ items: RunView[] }>().items;
    expect(runs).toHaveLength(17);
    expect(runs.filter(({ key }) => key !== undefined)).toEqual([]);
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
    const { items } = (await api.ask('/runs?job=inner')).json<{ items: RunView[] }>();
    expect(items.map(({ state }) => state).sort()).toEqual(['FAILED', 'SUCCEEDED']);
  });

  it('cancels the nested run with the run that waits for it', async () => {
    await define('inner', { tasks: [{ name: 'ask', approval: {} }] });
    await define('outer', { tasks: [{ name: 'nested', run: { job: 'inner' } }] });
    const id = await submit('outer');
    const inner = async () => (await api.ask('/runs?job=inner')).json<{ items: RunView[] }>().items;
    while ((await inner()).length === 0);
    await post(`/runs/${id}/cancel`, {});
    expect((await ended(id)).state).toBe('CANCELLED');
    const [nested] = await inner();
    expect((await ended(nested?.id ?? '')).state).toBe('CANCELLED');
  });

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
    given = {};
    const again = async (tasks: unknown) => {
      const answer = await post(`/runs/${id}/retry`, { tasks });
      expect(answer.status, answer.text).toBe(201);
      return ended(answer.json<{ id: string }>().id);
    };
    expect((await again(['each_chunk_47'])).state).toBe('SUCCEEDED');
    expect(Object.keys(given).sort()).toEqual(['each_chunk_47', 'join']);
    expect(given['join']?.[0]?.parents).toMatchObject({ each: { total: 100, failures: [] } });
    given = {};
    expect((await again('failed')).state).toBe('SUCCEEDED');
    expect(Object.keys(given).sort()).toEqual(['each_chunk_47', 'join']);
    given = {};
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
    given = {};
    const answer = await post(`/runs/${id}/retry`, { tasks: ['each_chunk_1'] });
    const second = await ended(answer.json<{ id: string }>().id);
    expect(stateOf(second, 'broken')).toBe('QUARANTINED');
    expect(stateOf(second, 'join')).toBe('SUCCEEDED');
    expect(Object.keys(given).sort()).toEqual(['each_chunk_1', 'join']);
    expect(given['join']?.[0]?.parents).toMatchObject({ each: { total: 3, failures: [] } });
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
    const audit = (await api.ask('/audit')).text;
    expect(audit).toContain('run.reevaluate');
  });
});

describe('HTP-06 DAG-27 a webhook at the end of a run', () => {
  let receiver: Server;
  let received: { id: string; at: string; signature: string; body: string }[];
  let status: number;

  beforeEach(async () => {
    received = [];
    status = 200;
    receiver = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => (body += chunk));
      request.on('end', () => {
        const head = (name: string) => request.headers[name] as string;
        const [id, at] = [head('webhook-id'), head('webhook-timestamp')];
        received.push({ id, at, signature: head('webhook-signature'), body });
        response.statusCode = status;
        response.end();
      });
    });
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  });
  afterEach(() => new Promise((resolve) => receiver.close(resolve)));

  const url = () => `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
  const open = () =>
    [...api.node.context.loop.engine.core.books.values()].flatMap((book) => [
      ...book.notifications.keys(),
    ]);
  const delivered = async () => {
    while (open().length > 0) await new Promise(setImmediate);
  };

  it('is signed, says what happened, and is tried again under the same id', async () => {
    await define('told', { notify: { onFailure: [{ url: url() }] }, tasks: [{ name: 'a' }] });
    answers['a'] = fail;
    status = 503;
    const id = await submit('told');
    expect((await ended(id)).state).toBe('FAILED');
    while (received.length === 0) await new Promise(setImmediate);
    expect(open()).toHaveLength(1);
    status = 200;
    await delivered();
    expect(received.length).toBeGreaterThanOrEqual(2);
    expect(new Set(received.map((one) => one.id)).size).toBe(1);
    const { store } = api.node.context;
    const tenant = 'default';
    const key = Buffer.from((await webhookSecret(store, tenant)).replace('whsec_', ''), 'base64');
    for (const { id: hook, at, signature, body } of received) {
      const expected = createHmac('sha256', key).update(`${hook}.${at}.${body}`).digest('base64');
      expect(signature).toBe(`v1,${expected}`);
      expect(JSON.parse(body)).toMatchObject({
        id: `${id}/end`,
        type: 'run.failed',
        data: { run: id, job: 'told', state: 'FAILED' },
      });
    }
  });

  it('is not sent where nobody asked for that end', async () => {
    await define('told', { notify: { onFailure: [{ url: url() }] }, tasks: [{ name: 'a' }] });
    expect((await ended(await submit('told'))).state).toBe('SUCCEEDED');
    await delivered();
    expect(received).toEqual([]);
  });
});
