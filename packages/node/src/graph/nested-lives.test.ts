import {
  nestedKey,
  parseRunId,
  partitionOf,
  type RunId,
  type Task,
  type TaskPart,
} from '@signalbox/engine';
import type { Diagnosis, JobDefinition, RunView } from '@signalbox/protocol';
import { type Handler, Worker } from '@signalbox/worker';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ApiWorld } from '../api/testing/api-world.ts';
import { connectInProcess } from '../gateway/in-process.ts';
import { InputResolver } from '../inputs/input-resolver.ts';
import { putInbox } from '../operations/batches/put-inbox.ts';
import { NestedRuns } from './nested-runs.ts';

let api: ApiWorld;
let worker: Worker;
/** Lets the handler `breaks` break. */
let release: (value: unknown) => void;

beforeEach(async () => {
  const released = new Promise((resolve) => (release = resolve));
  const breaks: Handler = async () => {
    await released;
    throw Object.assign(new Error('validation: it broke'), { class: 'permanent' });
  };
  api = await ApiWorld.start();
  const transport = connectInProcess(api.node.gateway);
  worker = new Worker({ name: 'w', transport, handlers: { breaks }, total: { slots: 4 } });
  await worker.start();
});
afterEach(async () => {
  release(null);
  await worker.stop({ graceMs: 0 });
  await api.stop();
});

/** Waits for a person, so that it ends when a test says so. */
const ASKING: JobDefinition = { tasks: [{ name: 'ask', approval: {} }] };
const NESTING: JobDefinition = { tasks: [{ name: 'n', run: { job: 'inner' } }] };

async function define(name: string, definition: JobDefinition): Promise<void> {
  const made = await api.ask('/jobs', { body: { name, definition } });
  expect(made.status, made.text).toBeLessThan(300);
}

async function post(path: string, body: object = {}): Promise<void> {
  const answer = await api.ask(path, { body });
  expect(answer.status, answer.text).toBeLessThan(300);
}

async function submit(job: string): Promise<string> {
  return (await api.ask('/runs', { body: { job } })).json<{ id: string }>().id;
}

const view = async (id: string) => (await api.ask(`/runs/${id}`)).json<RunView>();
const ended = async (id: string) => (await api.ask(`/runs/${id}?wait=20000`)).json<RunView>();
const runsOf = async (job: string) =>
  (await api.ask(`/runs?job=${job}`)).json<{ items: RunView[] }>().items;

/** Looks until it is so: what is waited for is told by nobody. */
async function until<T>(look: () => Promise<T | undefined | false>): Promise<T> {
  const deadline = performance.now() + 20_000;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    expect(performance.now()).toBeLessThan(deadline);
  }
}

/** The nested run of the task `n`, once its id is recorded. */
const nestedOf = (id: string) =>
  until(async () => (await view(id)).tasks.find(({ name }) => name === 'n')?.nestedRun);

const approve = (run: string) => post(`/runs/${run}/tasks/ask/approval`, { decision: 'approve' });

/** An outer run whose nested run waits for a person. */
async function waiting(): Promise<{ outer: string; inner: string }> {
  await define('inner', ASKING);
  await define('outer', NESTING);
  const outer = await submit('outer');
  return { outer, inner: await nestedOf(outer) };
}

describe('a nested run', () => {
  it('is named by the run that waits for it, and names that, also when both have ended', async () => {
    const { outer, inner } = await waiting();
    expect(await view(inner)).toMatchObject({ job: 'inner', nestedIn: { run: outer, task: 'n' } });
    await approve(inner);
    expect(await ended(outer)).toMatchObject({ state: 'SUCCEEDED', tasks: [{ nestedRun: inner }] });
    expect(await ended(inner)).toMatchObject({ nestedIn: { run: outer, task: 'n' } });
  });

  it.each([
    ['paused', () => post('/jobs/inner/pause')],
    ['deleted', () => api.ask('/jobs/inner', { method: 'DELETE' })],
  ])('that has begun goes on where its job is %s, and both ends are told', async (_how, change) => {
    const approved = await waiting();
    const cancelled = await submit('outer');
    const abandoned = await nestedOf(cancelled);
    await change();
    await approve(approved.inner);
    expect((await ended(approved.outer)).state).toBe('SUCCEEDED');
    await post(`/runs/${cancelled}/cancel`);
    expect((await ended(abandoned)).state).toBe('CANCELLED');
  });

  it('is found again where its job was deleted before its id was recorded', async () => {
    const { outer, inner } = await waiting();
    await api.ask('/jobs/inner', { method: 'DELETE' });
    const { context } = api.node;
    const { partition, seq } = parseRunId(outer) as RunId;
    const task = context.loop.engine.core.books.get(partition)?.runs.get(seq)?.tasks[0] as Task;
    const part = task.part as TaskPart;
    // As a new owner finds it where the one before died between the two.
    part.nested = null;
    const nested = new NestedRuns(() => context, new InputResolver(null));
    nested.start({ task, since: part.waitsSince });
    expect(await nestedOf(outer)).toBe(inner);
    await approve(inner);
    expect((await ended(outer)).state).toBe('SUCCEEDED');
  });

  it('I1 is found again in the inbox where its job was deleted before its owner had taken it in', async () => {
    await define('inner', ASKING);
    await define('outer', NESTING);
    await post('/jobs/inner/pause');
    const outer = await submit('outer');
    const { context } = api.node;
    const { loop, store, partitions } = context;
    const { partition, seq } = parseRunId(outer) as RunId;
    const task = loop.engine.core.books.get(partition)?.runs.get(seq)?.tasks[0] as Task;
    const { tenant } = task.run.spec;
    const since = await until(async () => task.part?.waitsSince);
    vi.spyOn(store, 'readInbox').mockResolvedValue([]);
    // As a node before put it there, which died before the id was recorded.
    const spec = await loop.specs.last(tenant, 'inner');
    if (spec === null) throw new Error('there is no job inner');
    const head = {
      key: nestedKey(task, since),
      nested: { of: outer, task: 'n', index: 0, since },
    };
    const to = partitionOf(tenant, 'inner', partitions);
    const put = await putInbox(context, { kind: 'submit', partition: to, spec, head, input: null });
    await api.ask('/jobs/inner', { method: 'DELETE' });
    expect(put).toMatchObject({ kind: 'entry', alias: await nestedOf(outer) });
    vi.restoreAllMocks();
    loop.lookIntoInbox();
    const [inner] = await until(async () => {
      const runs = await runsOf('inner');
      return runs.length > 0 && runs;
    });
    await approve(inner?.id ?? '');
    expect((await ended(outer)).state).toBe('SUCCEEDED');
  });

  it('of a paused job begins when that is resumed, and the reason is told', async () => {
    await define('inner', ASKING);
    await define('outer', NESTING);
    await post('/jobs/inner/pause');
    const [waits, cancelled] = [await submit('outer'), await submit('outer')];
    const why = (await api.ask(`/tasks/${waits}:n/diagnosis`)).json<Diagnosis>();
    expect(why).toMatchObject({ reason: 'JOB_PAUSED', numbers: { job: 'inner' } });
    await post(`/runs/${cancelled}/cancel`);
    expect((await ended(cancelled)).state).toBe('CANCELLED');
    await post('/jobs/inner/resume');
    await approve(await nestedOf(waits));
    expect((await ended(waits)).state).toBe('SUCCEEDED');
    expect(await runsOf('inner')).toHaveLength(1);
  });

  it('does not begin while the run that waits for it is paused', async () => {
    await define('inner', ASKING);
    await define('outer', NESTING);
    await post('/jobs/inner/pause');
    const outer = await submit('outer');
    await post(`/runs/${outer}/pause`);
    await post('/jobs/inner/resume');
    // Longer than it takes to be asked for again.
    await api.ask(`/runs/${outer}?wait=2500`);
    expect(await runsOf('inner')).toEqual([]);
    await post(`/runs/${outer}/resume`);
    await approve(await nestedOf(outer));
    expect((await ended(outer)).state).toBe('SUCCEEDED');
  });

  it('of a job that is not there fails its task with the reason', async () => {
    await define('inner', ASKING);
    await define('outer', NESTING);
    await api.ask('/jobs/inner', { method: 'DELETE' });
    const failed = await ended(await submit('outer'));
    const error = 'there is no job "inner"';
    expect(failed).toMatchObject({ state: 'FAILED', tasks: [{ state: 'FAILED', error }] });
  });

  it('is one for each wait, also of a job that excludes overlap', async () => {
    await define('inner', { ...ASKING, overlap: 'skip' });
    await define('outer', NESTING);
    const outers = [await submit('outer'), await submit('outer')];
    const inners = await Promise.all(outers.map(nestedOf));
    expect(new Set(inners).size).toBe(2);
    for (const inner of inners) await approve(inner);
    for (const outer of outers) expect((await ended(outer)).state).toBe('SUCCEEDED');
  });

  it('PRI-13 becomes as urgent as the run that waits for it, when that is raised later', async () => {
    await define('inner', { ...ASKING, priority: 'P2' });
    await define('outer', { ...NESTING, priority: 'P2' });
    const outer = await submit('outer');
    const inner = await nestedOf(outer);
    expect((await view(inner)).priority).toBe('P2');
    await post(`/runs/${outer}/priority`, { priority: 'P0' });
    await until(async () => (await view(inner)).priority === 'P0');
  });

  it('is cancelled where a task beside the one that waits has failed', async () => {
    await define('inner', ASKING);
    const beside = { name: 'beside', handler: 'breaks', retry: { maxAttempts: 1 } };
    await define('outer', { tasks: [...(NESTING.tasks ?? []), beside] });
    const outer = await submit('outer');
    const inner = await nestedOf(outer);
    release(null);
    expect((await ended(outer)).state).toBe('FAILED');
    expect((await ended(inner)).state).toBe('CANCELLED');
  });
});
