import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { Api } from './api.ts';

/** Lists two pages and refuses any other parameter than the one that the path goes on by. */
async function startLists(goesOnBy: Readonly<Record<string, string>>): Promise<string> {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
    const name = goesOnBy[pathname.replace('/api/v1', '')] ?? '';
    const known = [...searchParams.keys()].every((key) => key === 'limit' || key === name);
    const second = searchParams.get(name) === 'more';
    const page = second ? { items: [2] } : { items: [1], next: 'more' };
    response.writeHead(known ? 200 : 422, { 'content-type': 'application/json' });
    response.end(JSON.stringify(known ? page : { error: { code: 'invalid', message: 'unknown' } }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

it('goes on to the next page in the way of each list', async () => {
  const lists = { '/runs': 'cursor', '/tasks': 'cursor', '/jobs': 'after', '/schedules': 'after' };
  const url = await startLists(lists);
  const api = new Api({ url, key: 'sbx_test', tenant: null });
  for (const path of Object.keys(lists)) {
    const items: number[] = [];
    for await (const item of api.items<number>(path, {}, 10)) items.push(item);
    expect(items).toEqual([1, 2]);
  }
});
