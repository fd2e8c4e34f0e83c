import { connect } from 'node:net';
import type { WireHttpWork } from '@signalbox/protocol/link';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Result } from '../../executor.ts';
import { fakeAttempt } from '../testing/fake-attempt.ts';
import { TestServer } from '../testing/test-server.ts';
import { httpExecutor } from './http-executor.ts';
import type { HttpExecutorOptions } from './http-options.ts';

const NOT_ALLOWED = { kind: 'failed', class: 'permanent', output: null };

/** Stands for everything inside: it must never hear a byte. */
let inside: TestServer;

beforeEach(async () => {
  inside = await new TestServer().start();
});
afterEach(() => inside.stop());

function run(work: WireHttpWork, options: HttpExecutorOptions = {}): Promise<Result> {
  const executor = httpExecutor({
    allowHttp: true,
    ports: 'any',
    ...options,
  });
  return executor.run(fakeAttempt({ work: { http: work } }));
}

describe('redirects', () => {
  let first: TestServer;
  const trusted = { allowPrivate: true } as const;
  beforeEach(async () => {
    first = await new TestServer().start();
  });
  afterEach(() => first.stop());

  function redirect(status: number, location: string | ((url: string) => string)): void {
    first.answer = (request, response) => {
      const to = typeof location === 'string' ? location : location(request.url ?? '');
      response.writeHead(status, { Location: to }).end('moved');
    };
  }

  it('h51 follows none unless told', async () => {
    redirect(302, inside.url);
    expect(await run({ url: first.url }, trusted)).toMatchObject({
      ...NOT_ALLOWED,
      error: 'too_many_redirects',
    });
    expect(inside.connections).toBe(0);
  });

  it.each([
    [302, 'http://169.254.169.254/latest/meta-data/'],
    [307, 'http://[64:ff9b::a9fe:a9fe]/'],
    [308, '//0xa9fea9fe/'],
    [301, 'file:///etc/passwd'],
    [303, 'http://user:pw@127.0.0.1/'],
    [302, 'http://blocked.example/'],
  ])('h51 SEC-09 %i to %s ends at the first hop', async (status, location) => {
    redirect(status, location);
    const dialled: string[] = [];
    const result = await run(
      { url: first.url, redirectsMax: 3 },
      {
        ...trusted,
        resolve: async () => ['169.254.169.254'],
        dial: (target) => {
          dialled.push(...target.addresses);
          return connect({ host: '127.0.0.1', port: target.port });
        },
      },
    );
    expect(result).toMatchObject(NOT_ALLOWED);
    expect(result.kind === 'failed' && result.error).toMatch(/^target_not_allowed/);
    expect(dialled).toEqual(['127.0.0.1']);
  });

  it('h51 a redirect to an address that the settings block brings no byte there', async () => {
    redirect(307, inside.url.replace('127.0.0.1', '127.0.0.3'));
    const options = { ...trusted, extraBlocked: ['127.0.0.3'] };
    expect(await run({ url: first.url, redirectsMax: 3 }, options)).toMatchObject(NOT_ALLOWED);
    expect(inside.bytes).toBe(0);
  });

  it('h51 a chain of 50 ends after the hops that were allowed', async () => {
    redirect(302, (url) => `/${Number(url.slice(1)) + 1}`);
    const result = await run({ url: `${first.url}/0`, redirectsMax: 3 }, trusted);
    expect(result).toMatchObject({ error: 'too_many_redirects', class: 'permanent' });
    expect(first.seen.map((seen) => seen.url)).toEqual(['/0', '/1', '/2', '/3']);
  });

  it('leaves credentials behind when the origin changes', async () => {
    redirect(307, `${inside.url}/there`);
    const headers = {
      Authorization: 'Bearer t',
      Cookie: 'c',
      'X-Api-Key': 'k',
      'Content-Type': 'text/x',
    };
    const work = { url: first.url, method: 'POST', headers, body: 'b', redirectsMax: 1 } as const;
    expect((await run(work, trusted)).kind).toBe('succeeded');
    expect(first.seen[0]?.headers).toMatchObject({ authorization: 'Bearer t', 'x-api-key': 'k' });
    const [seen] = inside.seen;
    expect(seen).toMatchObject({ method: 'POST', url: '/there', body: 'b' });
    expect(seen?.headers['content-type']).toBe('text/x');
    for (const name of ['authorization', 'cookie', 'x-api-key']) {
      expect(seen?.headers).not.toHaveProperty(name);
    }
  });

  it('keeps them within the origin, and turns a 303 into a GET', async () => {
    first.answer = (request, response) => {
      if (request.url === '/done') response.end();
      else response.writeHead(303, { Location: '/done' }).end();
    };
    const headers = { Authorization: 'Bearer t', 'Content-Type': 'text/x' };
    await run({ url: first.url, method: 'POST', headers, body: 'b', redirectsMax: 1 }, trusted);
    expect(first.seen[1]).toMatchObject({ method: 'GET', url: '/done', body: '' });
    expect(first.seen[1]?.headers['authorization']).toBe('Bearer t');
    expect(first.seen[1]?.headers).not.toHaveProperty('content-type');
  });
});
