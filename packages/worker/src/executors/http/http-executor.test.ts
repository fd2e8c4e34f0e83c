import { Readable } from 'node:stream';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { WireHttpWork } from '@signalbox/protocol/link';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Result } from '../../executor.ts';
import { fakeAttempt } from '../testing/fake-attempt.ts';
import { TestServer } from '../testing/test-server.ts';
import { httpExecutor } from './http-executor.ts';

let server: TestServer;
const executor = httpExecutor({ allowPrivate: true, allowHttp: true, ports: 'any' });

beforeEach(async () => {
  server = await new TestServer().start();
});
afterEach(() => server.stop());

function run(work: Partial<WireHttpWork>, input: string | null = null): Promise<Result> {
  return executor.run(fakeAttempt({ work: { http: { url: server.url, ...work } }, input }));
}

function stored(result: Result): Record<string, unknown> {
  return JSON.parse(new TextDecoder().decode(result.output ?? new Uint8Array()));
}

function answerWith(
  status: number,
  headers: Record<string, string> = {},
  body: string | Buffer = '',
): void {
  server.answer = (_request, response) => response.writeHead(status, headers).end(body);
}

describe('the request', () => {
  it('HTP-01 sends method, headers and body exactly as configured', async () => {
    const headers = { 'X-Custom': 'Zoë', 'Content-Type': 'text/plain', Authorization: 'Bearer t' };
    const result = await run({
      url: `${server.url}/a%20b?q=1&r=%2F#fragment`,
      method: 'PUT',
      headers,
      body: 'the body ü',
    });
    expect(result.kind).toBe('succeeded');
    const [seen] = server.seen;
    expect(seen).toMatchObject({ method: 'PUT', url: '/a%20b?q=1&r=%2F', body: 'the body ü' });
    for (const [name, value] of Object.entries(headers)) {
      const at = seen?.rawHeaders.indexOf(name) ?? -1;
      expect([name, seen?.rawHeaders[at + 1]]).toEqual([name, value]);
    }
    expect(seen?.headers['content-length']).toBe('11');
    expect(seen?.headers['accept-encoding']).toBeUndefined();
  });

  it.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'] as const)(
    'HTP-01 sends the input with %s where the method has a body',
    async (method) => {
      expect((await run({ method }, '{"n":1}')).kind).toBe('succeeded');
      const body = ['POST', 'PUT', 'PATCH'].includes(method) ? '{"n":1}' : '';
      expect(server.seen[0]).toMatchObject({ method, body });
    },
  );

  it('HTP-01 is a GET unless there is a body in the definition', async () => {
    await run({}, 'input');
    await run({ body: 'x' }, 'input');
    expect(server.seen.map((seen) => [seen.method, seen.body])).toEqual([
      ['GET', ''],
      ['POST', 'x'],
    ]);
  });

  it('HTP-07 sends the ids of attempt and run, and the idempotency key', async () => {
    const attempt = fakeAttempt({
      work: { http: { url: server.url } },
      assign: { idempotencyKey: 'order 7 ü%' },
    });
    await executor.run(attempt);
    expect(server.seen[0]?.headers).toMatchObject({
      'signalbox-attempt-id': attempt.assign.id,
      'signalbox-run-id': attempt.assign.run,
      'idempotency-key': 'order%207%20%C3%BC%25',
    });
    await run({ headers: { 'idempotency-key': 'mine' } });
    expect(server.seen[1]?.headers['idempotency-key']).toBe('mine');
  });

  it('sends the window that its run is for', async () => {
    const window = { schedule: 'nightly', at: Date.UTC(2030, 0, 15, 2), kind: 'backfill' } as const;
    await executor.run(fakeAttempt({ work: { http: { url: server.url } }, assign: { window } }));
    expect(server.seen[0]?.headers).toMatchObject({
      'signalbox-window-schedule': 'nightly',
      'signalbox-window-at': '2030-01-15T02:00:00.000Z',
      'signalbox-window-kind': 'backfill',
    });
    await run({});
    expect(Object.keys(server.seen[1]?.headers ?? {}).join()).not.toContain('window');
  });

  it('does not take the proxy of the environment', async () => {
    const before = process.env['HTTP_PROXY'];
    const proxy = await new TestServer().start();
    process.env['HTTP_PROXY'] = proxy.url;
    try {
      expect((await run({})).kind).toBe('succeeded');
      expect([server.connections, proxy.connections]).toEqual([1, 0]);
    } finally {
      if (before === undefined) delete process.env['HTTP_PROXY'];
      else process.env['HTTP_PROXY'] = before;
      await proxy.stop();
    }
  });
});

describe('the outcome', () => {
  it.each([
    [200, 'succeeded', undefined],
    [204, 'succeeded', undefined],
    [304, 'failed', 'permanent'],
    [400, 'failed', 'permanent'],
    [401, 'failed', 'permanent'],
    [404, 'failed', 'permanent'],
    [408, 'failed', 'transient'],
    [422, 'failed', 'permanent'],
    [429, 'failed', 'transient'],
    [500, 'failed', 'transient'],
    [503, 'failed', 'transient'],
  ])('HTP-03 %i is %s %s', async (status, kind, failure) => {
    answerWith(status);
    const result = await run({});
    expect([result.kind, 'class' in result ? result.class : undefined]).toEqual([kind, failure]);
    if (kind === 'succeeded') expect(stored(result)['status']).toBe(status);
  });

  it.each([
    ['7', 7_000],
    ['9999999999', 86_400_000],
    ['0', 0],
    ['Wed, 21 Oct 2026 07:28:30 GMT', 30_000],
    ['Wed, 21 Oct 2026 07:27:00 GMT', 0],
    ['999999999', 86_400_000],
    ['9999999999', 86_400_000],
    ['9'.repeat(400), 86_400_000],
    ['soon', undefined],
    ['-5', undefined],
  ])('HTP-03 honours Retry-After: %s', async (value, expected) => {
    answerWith(429, { 'Retry-After': value, Date: 'Wed, 21 Oct 2026 07:28:00 GMT' });
    const result = await run({});
    expect(result.kind === 'failed' && result.retryAfterMs).toBe(expected);
  });

  it('HTP-02 a server that hangs is a time-out, to be tried again', async () => {
    server.answer = () => {};
    const result = await run({ timeoutMs: 100 });
    expect(result).toMatchObject({ kind: 'failed', class: 'transient' });
    expect(result.kind === 'failed' && result.error).toBe('timeout: no response within 100 ms');
  });

  it('HTP-02 the time-out is 30 s unless told', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const asked = Promise.withResolvers<void>();
      server.answer = () => asked.resolve();
      let settled: Result | null = null;
      const running = run({}).then((result) => {
        settled = result;
      });
      await asked.promise;
      await vi.advanceTimersByTimeAsync(29_999);
      expect(settled).toBeNull();
      await vi.advanceTimersByTimeAsync(1);
      await running;
      expect(settled).toMatchObject({ error: 'timeout: no response within 30000 ms' });
    } finally {
      vi.useRealTimers();
    }
  });

  it('HTP-02 a body that never ends is a time-out as well', async () => {
    server.answer = (_request, response) => void response.write('half');
    expect(await run({ timeoutMs: 100 })).toMatchObject({ kind: 'failed', class: 'transient' });
  });

  it('a connection that breaks is to be tried again, once per attempt', async () => {
    server.answer = (_request, response) => response.destroy();
    const result = await run({});
    expect(result).toMatchObject({ class: 'transient', error: 'response_failed' });
    expect(server.connections).toBe(1);
  });

  it('an abort ends the request', async () => {
    const attempt = fakeAttempt({ work: { http: { url: server.url } } });
    const closed = Promise.withResolvers<void>();
    server.answer = (_request, response) => {
      response.on('close', closed.resolve);
      attempt.abort();
    };
    expect(await executor.run(attempt)).toEqual({ kind: 'stopped', output: null });
    await closed.promise;
  });

  it('an attempt that is aborted before it starts sends nothing', async () => {
    const attempt = fakeAttempt({ work: { http: { url: server.url } } });
    attempt.abort();
    expect((await executor.run(attempt)).kind).toBe('stopped');
    expect(server.bytes).toBe(0);
  });

  it('HTP-04 refuses anything but http and https, for good', async () => {
    for (const url of ['file:///etc/passwd', 'ftp://example.com/', 'data:,x'])
      expect(await run({ url })).toMatchObject({ kind: 'failed', class: 'permanent' });
  });

  it('says that a task without http is wrong', async () => {
    expect(await executor.run(fakeAttempt())).toMatchObject({ class: 'permanent' });
  });
});

describe('the stored answer', () => {
  it('HTP-05 keeps the first 1,000 characters and the size', async () => {
    answerWith(200, { 'Content-Type': 'text/plain', 'Set-Cookie': 'secret=1' }, 'ü'.repeat(3_000));
    const { body, bodyBytes, headers } = stored(await run({}));
    expect([body, bodyBytes]).toEqual(['ü'.repeat(1_000), 6_000]);
    expect(headers).toMatchObject({ 'content-type': 'text/plain' });
    expect(headers).not.toHaveProperty('set-cookie');
  });

  it('HTP-05 is in the log of an attempt that failed with a status, which has no output', async () => {
    answerWith(404, { 'Content-Type': 'text/plain' }, 'no such order');
    const attempt = fakeAttempt({ work: { http: { url: server.url } } });
    expect(await executor.run(attempt)).toMatchObject({ kind: 'failed', output: null });
    const answer = attempt.logged.log.split('\n').find((line) => line.startsWith('{'));
    expect(JSON.parse(answer ?? '')).toMatchObject({
      status: 404,
      headers: { 'content-type': 'text/plain' },
      body: 'no such order',
      bodyBytes: 13,
    });
  });

  it('HTP-05 keeps a short answer whole, and no half of a character', async () => {
    answerWith(200, {}, 'an order');
    expect(stored(await run({}))).toMatchObject({ status: 200, body: 'an order', bodyBytes: 8 });
    answerWith(200, {}, `a${'😀'.repeat(800)}`);
    expect(stored(await run({}))['body']).toBe(`a${'😀'.repeat(499)}`);
  });

  it.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
  ])('counts %s behind the decompression', async (encoding, compress) => {
    answerWith(200, { 'Content-Encoding': encoding }, compress('y'.repeat(50_000)));
    expect(stored(await run({}))).toMatchObject({ body: 'y'.repeat(1_000), bodyBytes: 50_000 });
  });

  it('needs no body where the answer only speaks of one', async () => {
    for (const encoding of ['gzip', 'deflate', 'br', 'zstd']) {
      answerWith(200, { 'Content-Encoding': encoding });
      for (const method of ['HEAD', 'GET'] as const)
        expect(stored(await run({ method }))).toMatchObject({
          status: 200,
          body: '',
          bodyBytes: 0,
        });
    }
  });

  it('cuts a bomb and an endless answer at 10 MiB', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1_048_576));
    answerWith(200, { 'Content-Encoding': 'gzip' }, bomb);
    const cut = stored(await run({}));
    expect(cut).toMatchObject({ bodyCut: true });
    expect(cut['bodyBytes']).toBeLessThan(11 * 1_048_576);
    const endless = function* (): Generator<Buffer> {
      for (;;) yield Buffer.alloc(65_536, 'z');
    };
    server.answer = (_request, response) => void Readable.from(endless()).pipe(response);
    expect(stored(await run({}))).toMatchObject({ status: 200, bodyCut: true });
  });

  it('takes broken compression for a broken answer', async () => {
    answerWith(200, { 'Content-Encoding': 'gzip' }, 'not gzip');
    expect(await run({})).toMatchObject({ class: 'transient', error: 'response_failed' });
    answerWith(200, { 'Content-Encoding': 'gzip' }, gzipSync('y'.repeat(50_000)).subarray(0, 40));
    expect(await run({})).toMatchObject({ class: 'transient', error: 'response_failed' });
  });
});

it('does not log header values that the endpoint repeats', async () => {
  answerWith(401, {}, 'bad token sup3r-s3cret-value');
  const http = { url: server.url, headers: { Authorization: 'Bearer sup3r-s3cret-value' } };
  const attempt = fakeAttempt({ work: { http }, input: null });
  await executor.run(attempt);
  expect(attempt.logged.log).toContain('bad token ***');
  expect(JSON.stringify(attempt.logged)).not.toContain('sup3r');
});
