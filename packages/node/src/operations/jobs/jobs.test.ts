import type { JobDefinition } from '@signalbox/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  defineJob,
  deleteJob,
  getJob,
  getRun,
  listJobs,
  listJobVersions,
  pauseJob,
  restoreJob,
  resumeJob,
} from '../index.ts';
import { caller, SmallNode, SUCCEED } from '../testing/small-node.ts';
import { checkDefinition } from './job-definition.ts';

let node: SmallNode;
beforeEach(async () => {
  node = await SmallNode.start();
});
afterEach(() => node.stop());

const define = (definition: JobDefinition, more: object = {}) =>
  defineJob(node.context, caller(), { name: 'graph', definition, ...more });

describe('jobs', () => {
  it('API-01 API-08 gives back what was written; the same again keeps its version', async () => {
    const definition: JobDefinition = {
      priority: 'P0',
      description: 'two steps',
      labels: { team: 'billing' },
      tasks: [{ name: 'a' }, { name: 'b', after: ['a'], command: { argv: ['true'] } }],
    };
    const made = await define(definition);
    expect(made).toMatchObject({ outcome: 'created', job: { version: 1, state: 'active' } });
    expect(made.job.definition).toEqual(definition);
    expect((await define(definition)).outcome).toBe('unchanged');
    const bare = await define({});
    expect(bare).toMatchObject({ outcome: 'changed', job: { version: 2, author: 'tester' } });
    expect(bare.job.definition).toEqual({});
    const { items } = await listJobVersions(node.context, caller(), { name: 'graph' });
    expect(items.map((job) => job.version)).toEqual([1, 2]);
    expect(
      (await getJob(node.context, caller(), { name: 'graph', version: 1 })).definition,
    ).toEqual(definition);
  });

  it('refuses to sleep until what is no instant', async () => {
    const until = '2030-12-31T23:59:60Z';
    await expect(define({ tasks: [{ sleep: { until } }] })).rejects.toMatchObject({
      code: 'invalid',
      field: 'tasks[0].sleep.until',
    });
  });

  it('API-01 gives back everything that a graph can say', async () => {
    const definition: JobDefinition = {
      failurePolicy: 'SKIP_FAILED',
      allowPartial: false,
      limits: { maxFanOut: 50_000, readyPerSecond: 10 },
      notify: { onFailure: [{ url: 'https://example.com/hook' }] },
      expectedDuration: '1m',
      tasks: [
        { name: 'split', dynamic: true },
        {
          name: 'each',
          after: ['split'],
          fanOut: { from: 'split', path: 'rows' },
          inputs: { all: { task: 'split' }, day: { path: 'day' }, by: { value: ['id', 1] } },
          when: 'tasks.split.output.size() > 0',
        },
        { name: 'nap', after: ['each'], sleep: { until: '2030-01-01T00:00:00.000Z' } },
        { name: 'ask', after: ['each'], approval: { message: 'Go?', default: 'reject' } },
        { name: 'paid', after: ['ask'], event: { type: 'invoice.paid' }, ifParentSkipped: 'run' },
        { name: 'bill', after: ['paid', 'nap'], run: { job: 'billing' } },
      ],
    };
    expect((await define(definition)).job.definition).toEqual(definition);
    expect((await define(definition)).outcome).toBe('unchanged');
  });

  it('gives back every setting of a task, with durations as text, however they were written', async () => {
    const backoff = { type: 'exponential', delay: 1_000, jitter: 0.5 } as const;
    const task = {
      name: 'a',
      resources: { cpuMilli: 500 },
      antiAffinity: ['mail'],
      timeout: '90m',
      progressTimeout: null,
      gracePeriod: 5_000,
      expectedDuration: '1m',
      retry: { maxAttempts: 7, backoff },
      http: { url: 'https://example.com/', timeout: 1_500, maxRedirects: 2 },
    };
    const tasks = [
      task,
      { name: 'b', retry: { backoff: { type: 'fixed', delay: '0.5s' } as const } },
      { name: 'c', retry: { backoff: ['1s', 60_000] } },
      { name: 'd', sleep: { for: '36h' } },
      { name: 'e', sleep: { until: '2030-01-31' } },
      { name: 'f', approval: { timeout: 60_000 } },
      { name: 'g', event: { type: 't', timeout: '1s' } },
    ];
    const definition: JobDefinition = { priority: 9, eventTypes: ['x'], tasks };
    const shown = {
      priority: 'P0',
      eventTypes: ['x'],
      tasks: [
        {
          ...task,
          timeout: '1h30m',
          gracePeriod: '5s',
          retry: {
            maxAttempts: 7,
            backoff: { ...backoff, delay: '1s', factor: 2, maxDelay: '1d' },
          },
          http: { ...task.http, timeout: '1s500ms' },
        },
        { name: 'b', retry: { backoff: { type: 'fixed', delay: '500ms' } } },
        { name: 'c', retry: { backoff: { type: 'list', delays: ['1s', '1m'] } } },
        { name: 'd', sleep: { for: '1d12h' } },
        { name: 'e', sleep: { until: '2030-01-31T00:00:00.000Z' } },
        { name: 'f', approval: { timeout: '1m' } },
        { name: 'g', event: { type: 't', timeout: '1s' } },
      ],
    };
    expect((await define(definition)).job.definition).toEqual(shown);
    // As it is read back it means the same: no new version.
    expect((await define(shown as JobDefinition)).outcome).toBe('unchanged');
  });

  it.each([
    [{ timeout: '2y' }, 'tasks[0].timeout'],
    [{ sleep: { for: '366d' } }, 'tasks[0].sleep.for'],
    [{ retry: { backoff: ['1s', '400d'] } }, 'tasks[0].retry.backoff[1]'],
    [
      { retry: { backoff: { type: 'exponential', delay: '1h', maxDelay: '1m' } as const } },
      'tasks[0].retry.backoff.maxDelay',
    ],
    [{ http: { url: 'https://example.com/', timeout: '2d' } }, 'tasks[0].http.timeout'],
    [{ timeout: '5 minutes' }, 'tasks[0].timeout'],
    [{ retry: { backoff: { type: 'fixed' } as never } }, 'tasks[0].retry.backoff.delay'],
    [
      { retry: { backoff: { type: 'fixed', delay: 1, factor: 2 } as never } },
      'tasks[0].retry.backoff.factor',
    ],
  ])('refuses %j by its field', async (task, field) => {
    await expect(define({ tasks: [task] })).rejects.toMatchObject({ code: 'invalid', field });
  });

  it('DUR-23 shows a row of an earlier version under the names of today', async () => {
    const task = {
      ...{ name: 'a', executor: 'handler:a', request: { gpu: 1 }, apart: ['b'] },
      timeouts: { hardMs: 5_400_000, progressMs: null, graceMs: 1_000, expectedMs: 60_000 },
      retry: { attemptsMax: 3, fixedDelayMs: 5_000, onExhausted: 'fail' },
    };
    const old = { class: 2, hears: ['x'], expectedMs: 60_000, limits: { fanOutMax: 5 } };
    await node.disk.putDefinition({
      ...{ tenant: 'acme', kind: 'job', name: 'old', expectedVersion: 0, author: 'ann' },
      body: JSON.stringify({ ...old, tasks: [task] }),
    });
    const { definition } = await getJob(node.context, caller(), { name: 'old' });
    expect(definition).toEqual({
      ...{ priority: 'P2', eventTypes: ['x'], expectedDuration: '1m', limits: { maxFanOut: 5 } },
      tasks: [
        {
          ...{ name: 'a', resources: { gpu: 1 }, antiAffinity: ['b'] },
          ...{ timeout: '1h30m', progressTimeout: null, gracePeriod: '1s' },
          expectedDuration: '1m',
          retry: {
            maxAttempts: 3,
            backoff: { type: 'fixed', delay: '5s' },
            onExhausted: 'fail',
          },
        },
      ],
    });
  });

  it('API-12 whoever names another version than the newest changes nothing', async () => {
    await define({});
    const stale = define({ priority: 'P2' }, { expected: { version: 7 } });
    await expect(stale).rejects.toMatchObject({ code: 'precondition_failed' });
    await expect(define({}, { expected: { absent: true } })).rejects.toMatchObject({
      code: 'precondition_failed',
    });
    expect((await define({ priority: 'P2' }, { expected: { version: 1 } })).job.version).toBe(2);
  });

  it('API-12 of writers that saw the same version one wins', async () => {
    await define({});
    const results = await Promise.allSettled(
      ['one', 'two', 'three'].map((description) =>
        define({ description }, { expected: { version: 1 } }),
      ),
    );
    expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1);
  });

  it('API-08 pauses, resumes, deletes softly and restores; a change is seen at once', async () => {
    await define({});
    await node.submit({ job: 'graph' });
    await pauseJob(node.context, caller(), { name: 'graph' });
    await expect(node.submit({ job: 'graph' })).rejects.toMatchObject({ code: 'job_paused' });
    expect((await define({ priority: 'P2' })).job.state).toBe('paused');
    expect((await resumeJob(node.context, caller(), { name: 'graph' })).state).toBe('active');
    const id = await node.submit({ job: 'graph' });
    await deleteJob(node.context, caller(), { name: 'graph' });
    await expect(node.submit({ job: 'graph' })).rejects.toMatchObject({ code: 'not_found' });
    expect((await listJobs(node.context, caller(), {})).items).toEqual([]);
    const all = await listJobs(node.context, caller(), { deleted: true });
    expect(all.items).toMatchObject([{ name: 'graph', state: 'deleted' }]);
    // What was accepted before runs on.
    node.attach('w', SUCCEED);
    expect((await getRun(node.context, caller(), { id, waitMs: 5_000 })).state).toBe('SUCCEEDED');
    expect((await restoreJob(node.context, caller(), { name: 'graph' })).state).toBe('active');
    await node.submit({ job: 'graph' });
  });

  it('lists in pages by name, each tenant its own', async () => {
    for (const name of ['c', 'a', 'b']) {
      await defineJob(node.context, caller(), { name, definition: {} });
    }
    const first = await listJobs(node.context, caller(), { limit: 2 });
    expect(first).toMatchObject({ items: [{ name: 'a' }, { name: 'b' }] });
    const rest = await listJobs(node.context, caller(), {
      ...{ limit: 2, after: first.next as string },
    });
    expect(rest.items.map((job) => job.name)).toEqual(['c']);
    expect(rest.next).toBeUndefined();
    expect((await listJobs(node.context, caller({ tenant: 'other' }), {})).items).toEqual([]);
  });
});

describe('what cannot be a job', () => {
  it.each<[string, string, JobDefinition]>([
    ['tasks[0].after[0]', 'comes after itself', { tasks: [{ name: 'a', after: ['a'] }] }],
    ['tasks[1].name', 'two tasks', { tasks: [{ name: 'a' }, { name: 'a' }] }],
    [
      'tasks[1].after[1]',
      'not a task',
      { tasks: [{ name: 'a' }, { name: 'b', after: ['a', 'x'] }] },
    ],
    ['tasks[0].after', 'twice', { tasks: [{ name: 'b', after: ['a', 'a'] }, { name: 'a' }] }],
    ['tasks[0].command', 'only one of', { tasks: [{ handler: 'h', command: { argv: ['x'] } }] }],
    ['tasks[0].http.url', 'http', { tasks: [{ http: { url: 'file:///etc/passwd' } }] }],
    ['tasks[0].sleep', 'only one of', { tasks: [{ handler: 'h', sleep: { for: 1 } }] }],
    ['tasks[0].sleep', 'for or until', { tasks: [{ sleep: {} }] }],
    ['tasks[0].sleep.until', 'date-time', { tasks: [{ sleep: { until: 'soon' } }] }],
    ['tasks[0].fanOut.from', 'listed in after', { tasks: [{ fanOut: { from: 'x' } }] }],
    [
      'tasks[0].inputs.rows.task',
      'listed in after',
      { tasks: [{ inputs: { rows: { task: 'x' } } }] },
    ],
    ['tasks[0].fanOut', 'worker', { tasks: [{ sleep: { for: 1 }, fanOut: { from: 'a' } }] }],
    [
      'notify.onFailure[0].url',
      'target',
      { notify: { onFailure: [{ url: 'https://10.0.0.1/' }] } },
    ],
    ['failurePolicy', '', { failurePolicy: 'SOMETIMES' as 'PAUSE' }],
    ['tasks[0].http.url', 'target', { tasks: [{ http: { url: 'https://169.254.169.254/' } }] }],
    ['description', 'NUL', { description: 'a\0b' }],
    ['tasks[0].command.argv[1]', 'surrogate', { tasks: [{ command: { argv: ['a', '\ud800'] } }] }],
    ['tasks[0].retry.maxAttempts', '', { tasks: [{ retry: { maxAttempts: 0 } }] }],
    ['tasks', '', { tasks: [] }],
  ])('API-10 h61 is refused at %s (%s)', async (field, says, definition) => {
    const refused = define(definition);
    await expect(refused).rejects.toMatchObject({ field });
    await expect(refused).rejects.toThrow(says);
    expect((await listJobs(node.context, caller(), { deleted: true })).items).toEqual([]);
  });

  it('DAG-02 h61 names the tasks of a cycle in the order of their edges', async () => {
    const tasks = [
      { name: 'root' },
      { name: 'a', after: ['root', 'c'] },
      { name: 'b', after: ['a'] },
      { name: 'c', after: ['b'] },
      { name: 'leaf', after: ['c'] },
    ];
    const refused = define({ tasks });
    await expect(refused).rejects.toMatchObject({ code: 'invalid' });
    await expect(refused).rejects.toThrow(/(a → b → c → a|b → c → a → b|c → a → b → c)/);
    const two = define({
      tasks: [
        { name: 'a', after: ['b'] },
        { name: 'b', after: ['a'] },
      ],
    });
    await expect(two).rejects.toThrow(/(a → b → a|b → a → b)/);
    const stored = await listJobs(node.context, caller(), { deleted: true });
    expect(stored.items).toEqual([]);
  });

  it('h61 a chain of 100,000 tasks is taken, one closed to a ring refused, within a second of work', async () => {
    const chain = (first: readonly string[]) =>
      Array.from({ length: 100_000 }, (_, i) => ({
        name: `t${i}`,
        after: i === 0 ? first : [`t${i - 1}`],
      }));
    await define({ tasks: chain([]) as never });
    const tooMany = [...chain([]), { name: 'one-more' }];
    await expect(define({ tasks: tooMany as never })).rejects.toMatchObject({ field: 'tasks' });
    const ring = { tasks: chain(['t99999']) } as unknown as JobDefinition;
    // Processor time: on a busy machine the clock on the wall says little.
    const before = process.cpuUsage();
    expect(() => checkDefinition(ring, {})).toThrow('…');
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1_000).toBeLessThan(2_000);
  });
});
