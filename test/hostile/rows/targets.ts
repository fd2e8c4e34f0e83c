import { expect } from 'vitest';
import type { HostileWorld, Row } from '../hostile-world.ts';

const job = (world: HostileWorld, http: object) =>
  world.api.ask('/jobs', { body: { name: world.name(), definition: { tasks: [{ http }] } } });

/** A row of addresses that a definition must not name. */
function refused(id: string, title: string, urls: readonly string[]): Row {
  return {
    id,
    title,
    check: async (world) => {
      for (const url of urls) {
        const answer = await job(world, { url });
        expect([url, answer.status, answer.error().code]).toEqual([url, 422, 'target_not_allowed']);
      }
    },
  };
}

/** The error of an `http` task that ran to its end on one of the two workers. */
async function failure(
  world: HostileWorld,
  net: 'strict' | 'trusting',
  http: object,
): Promise<string> {
  const { state, tasks } = await world.ended({ tasks: [{ http, workerLabels: { net } }] });
  expect(state).toBe('FAILED');
  return tasks[0]?.error ?? '';
}

export const TARGETS: readonly Row[] = [
  refused('h41', 'a metadata service is no target', ['http://169.254.169.254/latest/meta-data/']),
  refused('h43', 'loopback in other spellings is no target', [
    'http://127.1/',
    'http://017700000001/',
    'http://①②⑦.⓪.⓪.①/',
    'http://127。0。0。1/',
  ]),
  refused('h45', 'private addresses inside of IPv6 are no targets', [
    'http://[64:ff9b::a9fe:a9fe]/',
    'http://[2002:7f00:1::]/',
  ]),
  refused('h47', 'metadata services of other clouds are no targets', [
    'http://168.63.129.16/',
    'http://100.100.100.200/',
    'http://[fd00:ec2::254]/',
    'http://169.254.170.2/',
  ]),
  {
    id: 'h49',
    title: 'a name with one private address is not dialled',
    check: async (world) => {
      world.dialled.length = 0;
      const url = 'http://mixed.example/';
      expect(await failure(world, 'strict', { url })).toMatch(/^target_not_allowed/);
      expect(world.dialled).toEqual([]);
    },
  },
  {
    id: 'h51',
    title: 'a redirect to a private address ends at the first hop, and a chain of 50 is cut',
    check: async (world) => {
      const { outside } = world;
      for (const [status, location] of [
        [302, 'http://169.254.169.254/latest/meta-data/'],
        [307, 'http://[64:ff9b::a9fe:a9fe]/'],
      ] as const) {
        world.dialled.length = 0;
        outside.answer = (_, response) =>
          response.writeHead(status, { Location: location }).end('moved');
        const http = { url: 'http://first.example/', maxRedirects: 3 };
        expect(await failure(world, 'trusting', http)).toMatch(/^target_not_allowed/);
        expect(world.dialled).toHaveLength(1);
      }
      let hops = 0;
      outside.answer = (_, response) =>
        response.writeHead(302, { Location: `http://first.example/${++hops}` }).end('moved');
      const http = { url: 'http://first.example/', maxRedirects: 3 };
      expect(await failure(world, 'trusting', http)).toMatch(/^too_many_redirects/);
      expect(hops).toBeLessThanOrEqual(4);
    },
  },
  {
    id: 'h53',
    title: 'a user in a URL is refused, and a confusing URL means its real host',
    check: async (world) => {
      expect((await job(world, { url: 'https://user:pw@host.example/' })).status).toBe(422);
      for (const url of ['http://evil.example#@10.0.0.1', 'http://evil.example\\@10.0.0.1/']) {
        world.dialled.length = 0;
        world.outside.seen.length = 0;
        world.outside.answer = (_, response) => response.end('ok');
        expect(
          await world.ended({ tasks: [{ http: { url }, workerLabels: { net: 'trusting' } }] }),
        ).toMatchObject({
          state: 'SUCCEEDED',
        });
        expect(world.outside.seen.map(({ headers }) => headers['host'])).toEqual(['evil.example']);
        expect(world.dialled).not.toContain('10.0.0.1');
      }
    },
  },
  {
    id: 'h55',
    title: 'headers that split a request or change its framing are refused',
    check: async (world) => {
      const url = 'http://first.example/';
      for (const headers of [
        { 'X-A': 'x\r\nX-Admin: 1' },
        { 'X-A\r\nX-Admin': '1' },
        { Host: 'x' },
        { 'Transfer-Encoding': 'chunked' },
      ]) {
        const answer = await job(world, { url, headers });
        expect([headers, answer.status]).toEqual([headers, 422]);
      }
    },
  },
];
