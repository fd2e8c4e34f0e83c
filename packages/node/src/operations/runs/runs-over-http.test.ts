import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NO_RESOURCES, refOf } from '@signalbox/engine';
import type { QueueDepth, RunView, Submitted } from '@signalbox/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ApiWorld, ROOT_KEY } from '../../api/testing/api-world.ts';
import { Client } from '../../feed/testing/client.ts';

let world: ApiWorld;
let submitter: string;
beforeEach(async () => {
  world = await ApiWorld.start();
  await world.ask('/jobs', { body: { name: 'mail' }, tenant: 'acme' });
  submitter = await world.makeKey('submitter', 'acme');
});
afterEach(() => world.stop());

const submit = async (body: object, headers: Record<string, string> = {}) => {
  const answer = await world.ask('/runs', { key: submitter, body, headers });
  return { status: answer.status, ...answer.json<Submitted>() };
};

/** A worker that takes whatever comes and ends it when told. */
function attach(): () => void {
  const { loop } = world.node.context;
  const total = { ...NO_RESOURCES, slots: 10 };
  const info = {
    name: 'w',
    instance: 'a',
    zone: 'a',
    labels: {},
    executors: ['handler:mail'],
    total,
  };
  loop.report({ kind: 'attachWorker', info, foreignUse: NO_RESOURCES, holds: [] });
  return () => {
    for (const attempt of loop.engine.core.workers.workers.get('w')?.attempts ?? []) {
      const result = { kind: 'succeeded', output: new Uint8Array([0xff, 0, 1]) } as const;
      loop.report({ kind: 'finish', worker: 'w', ref: refOf(attempt), result });
    }
  };
}

/** Reads server-sent events until enough have come, then hangs up. */
async function listen(
  path: string,
  params: { count: number; lastEventId?: string; meanwhile?: () => Promise<unknown> },
): Promise<Client> {
  const client = new Client();
  const stop = new AbortController();
  const response = await fetch(`${world.url}/api/v1${path}`, {
    signal: stop.signal,
    headers: {
      authorization: `Bearer ${ROOT_KEY}`,
      'signalbox-tenant': 'acme',
      ...(params.lastEventId === undefined ? {} : { 'last-event-id': params.lastEventId }),
    },
  });
  expect(response.headers.get('content-type')).toContain('text/event-stream');
  await params.meanwhile?.();
  const decoder = new TextDecoder();
  try {
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      client.write(decoder.decode(chunk, { stream: true }));
      if (client.messages.length >= params.count) stop.abort();
    }
  } catch (error) {
    if (!stop.signal.aborted) throw error;
  }
  return client;
}

describe('runs over HTTP', () => {
  it('API-16 DUR-06 201 for a new run, 200 with the same id for the same key', async () => {
    const first = await submit({ job: 'mail', input: 1 }, { 'idempotency-key': 'k1' });
    expect(first).toMatchObject({ status: 201, created: true });
    const again = await submit({ job: 'mail', input: 1, idempotencyKey: 'k1' });
    expect(again).toMatchObject({ status: 200, created: false, id: first.id });
    const batch = await world.ask('/runs/batch', {
      key: submitter,
      body: { items: [{ job: 'mail' }, { job: 'mail', idempotencyKey: 'k1' }] },
    });
    expect(batch.json<{ items: Submitted[] }>().items).toMatchObject([
      { created: true },
      { created: false, id: first.id },
    ]);
    const bad = await world.ask('/runs', { key: submitter, body: { job: 'mail', delay: -1 } });
    expect([bad.status, bad.error().field]).toEqual([422, 'delay']);
  });

  it('API-12 ETag and If-Match guard a change of a job', async () => {
    const read = await world.ask('/jobs/mail', { tenant: 'acme' });
    const etag = read.headers.get('etag') as string;
    const put = (tag: string) =>
      world.ask('/jobs/mail', {
        method: 'PUT',
        tenant: 'acme',
        body: { priority: 'P2' },
        headers: { 'if-match': tag },
      });
    expect((await put('"99"')).status).toBe(412);
    expect((await put(etag)).headers.get('etag')).toBe('"2"');
    expect((await put(etag)).status).toBe(412);
  });

  it('EXT-19 10 MB go ahead as a blob; any bytes come back as they were', async () => {
    const large = new Uint8Array(10_000_000).map((_, i) => i % 251);
    const blob = await world.ask('/blobs', { method: 'PUT', key: submitter, raw: large });
    expect(blob.status).toBe(201);
    const { name } = blob.json<{ name: string }>();
    const run = await submit({ job: 'mail', inputBlob: name });
    expect(run.status).toBe(201);
    const bytes = async (path: string) => {
      const response = await fetch(`${world.url}/api/v1${path}`, {
        headers: { authorization: `Bearer ${submitter}` },
      });
      return [response.status, new Uint8Array(await response.arrayBuffer())] as const;
    };
    const [status, input] = await bytes(`/runs/${run.id}/input`);
    expect(status).toBe(200);
    expect(Buffer.compare(input, large)).toBe(0);
    expect((await bytes(`/runs/${run.id}/output`))[0]).toBe(409);
    const finish = attach();
    await world.node.context.loop.flushed();
    finish();
    const ended = await world.ask(`/runs/${run.id}?wait=5000`, { key: submitter });
    expect(ended.json<RunView>()).toMatchObject({ state: 'SUCCEEDED' });
    expect(ended.json<RunView>()).not.toHaveProperty('output');
    expect((await bytes(`/runs/${run.id}/output`))[1]).toEqual(new Uint8Array([0xff, 0, 1]));
    const absent = await world.ask('/runs', {
      key: submitter,
      body: { job: 'mail', inputBlob: 'x' },
    });
    expect([absent.status, absent.error().field]).toEqual([422, 'inputBlob']);
  });

  it('API-02 waits for the end no longer than asked', async () => {
    const { id } = await submit({ job: 'mail' });
    const answer = await world.ask(`/runs/${id}?wait=30`, { key: submitter });
    expect(answer.json<RunView>().state).toBe('PENDING');
  });

  it('API-06 API-09 U008 queue depth and diagnosis', async () => {
    const { id } = await submit({ job: 'mail', priority: 'P0' });
    const own = await world.ask('/queues', { key: submitter });
    expect(own.json<{ items: QueueDepth[] }>().items[0]).toEqual({
      tenant: 'acme',
      priority: 'P0',
      queued: 1,
      running: 0,
    });
    const all = await world.ask('/queues', { tenant: '*' });
    expect(all.json<{ items: QueueDepth[] }>().items).toContainEqual(
      expect.objectContaining({ tenant: 'acme', priority: 'P0', queued: 1 }),
    );
    const why = await world.ask(`/tasks/${id}:main/diagnosis`, { key: submitter });
    expect(why.json()).toMatchObject({ reason: 'NO_WORKER_ATTACHED', state: 'QUEUED' });
  });
});

describe('events over HTTP', () => {
  it('EXT-20 a client that hangs up in the middle resumes: every event once', async () => {
    const ids: string[] = [];
    const meanwhile = async () => {
      for (let i = 0; i < 5; i++) ids.push((await submit({ job: 'mail' })).id);
    };
    const first = await listen('/events', { count: 2, meanwhile });
    const lastEventId = first.messages[1]?.id as string;
    const rest = await listen('/events', { count: 3, lastEventId });
    const seen = [...first.messages.slice(0, 2), ...rest.messages].map(({ data }) => data.run);
    expect(seen).toEqual(ids);
  });

  it('EXT-20 the stream of a run ends with it, and a foreign run has none', async () => {
    const { id } = await submit({ job: 'mail' });
    const cancel = () =>
      world.ask(`/runs/${id}/cancel`, { tenant: 'acme', body: { reason: 'enough' } });
    const client = await listen(`/runs/${id}/events`, { count: 99, meanwhile: cancel });
    const kinds = client.messages.map(({ kind }) => kind);
    expect(kinds).toEqual(['state', 'runCancelRequested', 'runEnded', 'end']);
    const foreign = await world.ask(`/runs/${id}/events`, { tenant: 'other' });
    expect(foreign.status).toBe(404);
  });

  it('EXT-20 resumes on the file after a restart of the node', async () => {
    await world.stop();
    const folder = mkdtempSync(join(tmpdir(), 'signalbox-events-'));
    const store = `file:${join(folder, 'signalbox.sqlite')}`;
    try {
      world = await ApiWorld.start({ store });
      await world.ask('/jobs', { body: { name: 'mail' }, tenant: 'acme' });
      submitter = await world.makeKey('submitter', 'acme');
      const ids: string[] = [];
      const meanwhile = async () => {
        for (let i = 0; i < 3; i++) ids.push((await submit({ job: 'mail' })).id);
        await world.ask(`/runs/${ids[0]}/cancel`, { tenant: 'acme', body: {} });
      };
      const first = await listen('/events', { count: 1, meanwhile });
      const lastEventId = first.messages[0]?.id as string;
      await world.stop();
      world = await ApiWorld.start({ store });
      const rest = await listen('/events', { count: 4, lastEventId });
      expect(rest.messages.map(({ kind, data }) => [kind, data.run])).toEqual([
        ['runSubmitted', ids[1]],
        ['runSubmitted', ids[2]],
        ['runCancelRequested', ids[0]],
        ['runEnded', ids[0]],
      ]);
    } finally {
      await world.stop();
      rmSync(folder, { recursive: true });
    }
  });

  it('a stream that is open does not hold up the stop of the node', async () => {
    const response = await fetch(`${world.url}/api/v1/events`, {
      headers: { authorization: `Bearer ${ROOT_KEY}` },
    });
    const body = response.text();
    const startedAt = performance.now();
    await world.stop();
    expect(performance.now() - startedAt).toBeLessThan(1_500);
    expect(await body).toMatch(/^id: /);
  });
});
