import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { BATCH_TYPE, type BatchHeader, splitBatch } from '@signalbox/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SignalboxError } from '../errors.ts';
import { job } from '../job.ts';
import { Signalbox } from '../signalbox.ts';

const hello = job('hello', async (input: { name: string }) => `hello, ${input.name}`);

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: unknown;
}

type Answering = (asked: Asked, response: ServerResponse) => void;

/** A node that says what it is told to say. */
class FakeNode {
  readonly asked: Asked[] = [];
  readonly connections = new Set<unknown>();
  answer: Answering = (_asked, response) => send(response, 500, {});
  readonly #server: Server;

  constructor() {
    this.#server = createServer(async (request, response) => {
      this.connections.add(request.socket);
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const { method = '', url = '', headers } = request;
      const path = url.replace('/api/v1', '');
      const asked = { method, path, headers, body: bodyOf(Buffer.concat(chunks), headers) };
      this.asked.push(asked);
      this.answer(asked, response);
    });
  }

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

function refuse(response: ServerResponse, status: number, code: string): void {
  send(response, status, { error: { code, message: code, requestId: 'req-1' } });
}

/** As a node would read it; a batch with its inputs where a body of JSON has them. */
function bodyOf(bytes: Buffer, headers: IncomingMessage['headers']): unknown {
  if (headers['content-type'] !== BATCH_TYPE) {
    return bytes.length === 0 ? null : JSON.parse(bytes.toString());
  }
  const parts = splitBatch(bytes);
  if (parts === null) throw new Error('this is no batch');
  const { shared, items, inputs } = JSON.parse(parts.header.toString()) as BatchHeader;
  let at = 0;
  const all = inputs.map((length, i) => {
    const input = parts.inputs.subarray(at, at + (length ?? 0)).toString();
    at += length ?? 0;
    return { ...shared, ...items?.[i], ...(length !== null && { input: JSON.parse(input) }) };
  });
  expect(at).toBe(parts.inputs.length);
  return { items: all };
}

interface Item {
  readonly job: string;
  readonly key?: string;
  readonly input: { readonly name: string };
}

const itemsOf = ({ body }: Asked): readonly Item[] => (body as { items: Item[] }).items;
const keyOf = ({ headers }: Asked): string => headers['idempotency-key'] as string;

/** Keeps what a node keeps: one run for each key, and for each place in a request under one. */
function submitting(runs: Map<string, string>): Answering {
  return (asked, response) => {
    const items = itemsOf(asked).map(({ job, key = undefined }, i) => {
      const name = key ?? `${keyOf(asked)}/${i}`;
      const created = !runs.has(name);
      if (created) runs.set(name, `run-${runs.size}`);
      return { id: runs.get(name), job, created };
    });
    send(response, 200, { items });
  };
}

const node = { current: new FakeNode() };
let box: Signalbox;

beforeEach(async () => {
  node.current = new FakeNode();
  const url = await node.current.start();
  const retries = { delay: 1, maxDelay: 5 };
  box = await Signalbox.connect(url, { key: 'sbx_a_b', tenant: 'acme', retries });
});

afterEach(async () => {
  await box.close();
  await node.current.stop();
});

describe('the client', () => {
  it('says who asks and for which tenant', async () => {
    node.current.answer = submitting(new Map());
    await box.submit(hello, { name: 'world' });
    expect(node.current.asked).toHaveLength(1);
    expect(node.current.asked[0]).toMatchObject({
      method: 'POST',
      path: '/runs/batch',
      headers: {
        authorization: 'Bearer sbx_a_b',
        'signalbox-tenant': 'acme',
        'idempotency-key': expect.stringMatching(/^sdk-/),
      },
      body: { items: [{ job: 'hello', input: { name: 'world' } }] },
    });
  });

  it('sends submissions of one turn in one request, in order', async () => {
    node.current.answer = submitting(new Map());
    const names = Array.from({ length: 100 }, (_, i) => `n${i}`);
    const runs = await Promise.all(names.map((name) => box.submit(hello, { name })));
    expect(runs.map(({ id }) => id)).toEqual(names.map((_, i) => `run-${i}`));
    expect(node.current.asked.map(({ path }) => path)).toEqual(['/runs/batch']);
  });

  it('cuts a batch of large inputs into requests that a node takes', async () => {
    node.current.answer = submitting(new Map());
    const name = 'x'.repeat(200_000);
    const runs = await Promise.all([1, 2, 3, 4, 5].map(() => box.submit(hello, { name })));
    expect(new Set(runs.map(({ id }) => id)).size).toBe(5);
    expect(node.current.asked.length).toBe(2);
  });

  it('EXT-19 sends a large input ahead as a blob, and says each of both again', async () => {
    const answer = submitting(new Map());
    const failing = ['PUT /blobs', 'POST /runs/batch'];
    node.current.answer = (asked, response) => {
      const what = `${asked.method} ${asked.path}`;
      if (what === failing[0]) {
        failing.shift();
        return refuse(response, 503, 'unavailable');
      }
      if (asked.path !== '/blobs') return answer(asked, response);
      send(response, 201, { name: 'blob-1', bytes: 1, sha256: '' });
    };
    await box.submit(hello, { name: 'x'.repeat(300_000) }, { idempotencyKey: 'k' });
    const { asked } = node.current;
    const batch = '/runs/batch';
    expect(asked.map(({ path }) => path)).toEqual(['/blobs', '/blobs', batch, batch]);
    expect(asked[1]?.headers['content-type']).toBe('application/octet-stream');
    expect(asked[1]?.body).toEqual({ name: 'x'.repeat(300_000) });
    expect(asked[3]?.body).toEqual({
      items: [{ job: 'hello', idempotencyKey: 'k', inputBlob: 'blob-1' }],
    });
    expect(asked[3]).toEqual(asked[2]);
  });

  it('throws where the key belongs to a run of another job', async () => {
    node.current.answer = (_asked, response) =>
      send(response, 200, { items: [{ id: 'run-0', job: 'other', created: false }] });
    const error = await box
      .submit(hello, { name: 'a' }, { idempotencyKey: 'k' })
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(SignalboxError);
    expect(error).toMatchObject({
      code: 'idempotency_conflict',
      status: 409,
      message:
        'idempotencyKey: the idempotency key belongs to run run-0 of the job "other", not of "hello"',
    });
  });

  it('says a submission again after an answer was lost, and there is still one run', async () => {
    const runs = new Map<string, string>();
    const answer = submitting(runs);
    let cut = 2;
    node.current.answer = (asked, response) => {
      if (cut-- <= 0) return answer(asked, response);
      answer(asked, { writeHead: () => {}, end: () => {} } as unknown as ServerResponse);
      response.destroy();
    };
    const run = await box.submit(hello, { name: 'world' });
    expect(runs.size).toBe(1);
    expect(run.id).toBe('run-0');
    expect(node.current.asked).toHaveLength(3);
    expect(new Set(node.current.asked.map(keyOf)).size).toBe(1);
  });

  it('hands bytes and differing options over as they were given', async () => {
    node.current.answer = submitting(new Map());
    const bytes = new TextEncoder().encode('"é"');
    const sent = [
      box.submit('a', bytes, { priority: 'P0', uniqueKey: 'u' }),
      box.submit('a', { name: 'ü' }, { priority: 'P0', delay: 5 }),
      box.submit('a', undefined, { priority: 'P0', idempotencyKey: 'k' }),
    ];
    bytes.fill(0);
    await Promise.all(sent);
    expect(node.current.asked.map(itemsOf)).toEqual([
      [
        { job: 'a', priority: 'P0', uniqueKey: 'u', input: 'é' },
        { job: 'a', priority: 'P0', delay: 5, input: { name: 'ü' } },
        { job: 'a', priority: 'P0', idempotencyKey: 'k' },
      ],
    ]);
  });

  it('does not halve a batch that may have been taken before it was refused', async () => {
    const runs = new Map<string, string>();
    const answer = submitting(runs);
    let requests = 0;
    node.current.answer = (asked, response) => {
      // Taken, but the answer is lost; by the time it is asked again the job is paused.
      if (requests++ > 0) return refuse(response, 409, 'job_paused');
      answer(asked, { writeHead: () => {}, end: () => {} } as unknown as ServerResponse);
      response.destroy();
    };
    const settled = await Promise.allSettled([box.submit('a'), box.submit('a')]);
    expect(settled).toMatchObject([
      { status: 'rejected', reason: { code: 'job_paused', mayBeDone: true } },
      { status: 'rejected', reason: { code: 'job_paused', mayBeDone: true } },
    ]);
    expect(requests).toBe(2);
    expect(runs.size).toBe(2);
  });

  it('gives the halves of a batch that is refused for one of it keys of their own', async () => {
    const runs = new Map<string, string>();
    const answer = submitting(runs);
    node.current.answer = (asked, response) => {
      if (itemsOf(asked).some(({ job }) => job === 'absent'))
        return refuse(response, 404, 'not_found');
      answer(asked, response);
    };
    const settled = await Promise.allSettled(
      ['a', 'b', 'absent', 'c'].map((name) => box.submit(name)),
    );
    expect(settled.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
      'fulfilled',
    ]);
    expect(runs.size).toBe(3);
    expect(new Set(node.current.asked.map(keyOf)).size).toBe(node.current.asked.length);
  });

  it('honours Retry-After, and gives up on what a node will not do', async () => {
    const runs = new Map<string, string>();
    const answer = submitting(runs);
    const times: number[] = [];
    node.current.answer = (asked, response) => {
      times.push(performance.now());
      if (times.length > 1) return answer(asked, response);
      response.setHeader('retry-after', '1');
      refuse(response, 429, 'overloaded');
    };
    await box.submit(hello, { name: 'world' });
    expect((times[1] as number) - (times[0] as number)).toBeGreaterThanOrEqual(990);

    node.current.answer = (_asked, response) => refuse(response, 403, 'forbidden');
    const error = await box.runs.get('x').catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(SignalboxError);
    expect(error).toMatchObject({ code: 'forbidden', status: 403, requestId: 'req-1' });
    expect(node.current.asked.filter(({ path }) => path === '/runs/x')).toHaveLength(1);
  });

  it('does not try a redrive again when it may have happened', async () => {
    node.current.answer = (_asked, response) => void response.destroy();
    await expect(box.retry('run-1')).rejects.toMatchObject({ code: 'unreachable', status: 0 });
    expect(node.current.asked).toHaveLength(1);
  });

  it('takes an answer of something between it and the node for what it is', async () => {
    let failures = 0;
    node.current.answer = (_asked, response) => {
      if (failures++ < 2) return void response.writeHead(502).end('<html>bad gateway</html>');
      send(response, 200, { items: [] });
    };
    expect(await box.runs.list({ job: 'hello', limit: 5 })).toEqual({ items: [] });
    expect(node.current.asked[2]?.path).toBe('/runs?job=hello&limit=5');
  });

  it('keeps its connections', async () => {
    node.current.answer = submitting(new Map());
    for (let i = 0; i < 20; i++) await box.submit(hello, { name: `${i}` });
    expect(node.current.connections.size).toBe(1);
  });

  it('stops waiting when the signal fires or the time is over, though the run goes on', async () => {
    const view = { id: 'run-0', job: 'hello', state: 'RUNNING', tasks: [] };
    const answer = submitting(new Map());
    const asked = Promise.withResolvers<void>();
    node.current.answer = (question, response) => {
      if (question.method === 'POST') return answer(question, response);
      if (question.path.includes('wait=30000')) return asked.resolve();
      send(response, 200, view);
    };
    const run = await box.submit(hello, { name: 'world' });
    await expect(run.wait({ timeout: 20 })).rejects.toMatchObject({ code: 'timeout' });
    const stop = new AbortController();
    const waiting = run.wait({ signal: stop.signal });
    await asked.promise;
    stop.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
  });

  it('leaves connections for others however many wait', async () => {
    const view = (id: string, state: string) => ({ id, job: 'hello', state, tasks: [] });
    const ended = new Set<string>();
    let held = 0;
    node.current.answer = ({ method, path }, response) => {
      const id = path.split(/[/?]/)[2] as string;
      if (method === 'POST') return send(response, 200, view(id, 'RUNNING'));
      if (ended.has(id)) return send(response, 200, view(id, 'CANCELLED'));
      if (!path.includes('wait=')) return send(response, 200, view(id, 'RUNNING'));
      held++;
    };
    const stop = new AbortController();
    const waits = Array.from({ length: 300 }, async (_, i) => {
      const run = await box.runs.handle(`run-${i}`);
      return run.wait({ signal: stop.signal });
    });
    while (held < 32) await new Promise((resolve) => setImmediate(resolve));
    await box.cancel('run-299');
    ended.add('run-299');
    expect((await waits[299])?.state).toBe('CANCELLED');
    expect(held).toBe(32);
    stop.abort();
    const settled = await Promise.allSettled(waits);
    expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('refuses an input that is no JSON without sending anything', async () => {
    await expect(box.submit('hello', () => 1)).rejects.toThrow('the input of hello must be JSON');
    await expect(box.submit('hello', 1n)).rejects.toThrow('input is a BigInt');
    expect(node.current.asked).toEqual([]);
  });

  it('takes a broken event stream up again behind the last event', async () => {
    let streams = 0;
    node.current.answer = (asked, response) => {
      streams++;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const event = (id: number) =>
        `id: ${id}\nevent: taskStarted\ndata: ${JSON.stringify({ kind: 'taskStarted', run: `${id}` })}\n\n`;
      if (streams === 1) return void response.end(`: beat\n\n${event(1)}${event(2)}`);
      expect(asked.headers['last-event-id']).toBe('2');
      response.write(event(3).slice(0, 10));
      setImmediate(() => response.write(event(3).slice(10)));
    };
    const seen: string[] = [];
    for await (const event of box.events()) {
      seen.push(event.run);
      if (seen.length === 3) break;
    }
    expect(seen).toEqual(['1', '2', '3']);
  });

  it('says that events are missing instead of going on as if nothing had happened', async () => {
    node.current.answer = (_asked, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end('id: 9\nevent: reset\ndata: {}\n\n');
    };
    await expect(box.events().next()).rejects.toThrow('events were missed');
    expect(node.current.asked).toHaveLength(1);
  });

  it('says why there is no event stream', async () => {
    node.current.answer = (_asked, response) => refuse(response, 401, 'unauthenticated');
    await expect(box.events().next()).rejects.toMatchObject({ code: 'unauthenticated' });
  });
});
