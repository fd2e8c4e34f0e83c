import { expect } from 'vitest';
import { postWebhook } from '../../../packages/node/src/graph/post-webhook.ts';
import { type HostileWorld, PUBLIC, type Row } from '../hostile-world.ts';

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
  net: 'strict' | 'trusting' | 'guarded',
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
    title:
      'a name with one private address among public ones is not dialled, by workers and for webhooks',
    check: async (world) => {
      const { inside, addresses, dialled } = world;
      const url = `http://mixed.example:${inside.port}/`;
      for (const bad of ['127.0.0.1', '169.254.169.254', '::1', '::ffff:10.0.0.1', '0.0.0.0']) {
        for (const answer of [
          [PUBLIC, bad],
          [bad, PUBLIC],
          [...Array.from({ length: 20 }, () => PUBLIC), bad],
        ]) {
          addresses.set('mixed.example', answer);
          dialled.length = 0;
          expect(await failure(world, 'strict', { url })).toMatch(/^target_not_allowed/);
          expect(dialled).toEqual([]);
          const resolve = async () => answer.map((address) => ({ address, family: 4 }));
          const targets = { allowHttp: true, ports: 'any' } as const;
          const posted = await postWebhook({ url, headers: {}, body: '', targets, resolve });
          expect(posted).toEqual({ ok: false, why: 'the target is not allowed' });
        }
      }
      expect(inside.connections).toBe(0);
    },
  },
  {
    id: 'h51',
    title:
      'a redirect to a private address ends at the first hop without a byte inside, and a chain of 50 is too long',
    check: async (world) => {
      const { outside, inside, dialled } = world;
      const http = { url: 'http://first.example/', maxRedirects: 3 };
      const { port } = inside;
      world.addresses.set('inner.example', ['127.0.0.3']);
      const metadata = 'http://169.254.169.254/latest/meta-data/';
      for (const [net, status, location] of [
        ['trusting', 302, metadata],
        ['trusting', 307, 'http://[64:ff9b::a9fe:a9fe]/'],
        ['guarded', 301, metadata],
        ['guarded', 302, `http://127.0.0.3:${port}/`],
        ['guarded', 303, `http://0x7f.3:${port}/`],
        ['guarded', 307, `http://2130706435:${port}/`],
        ['guarded', 308, `//127.3:${port}/`],
        ['guarded', 307, `http://inner.example:${port}/`],
      ] as const) {
        dialled.length = 0;
        outside.seen.length = 0;
        outside.answer = (_, response) =>
          response.writeHead(status, { Location: location }).end('moved');
        expect([location, await failure(world, net, http)]).toEqual([
          location,
          expect.stringMatching(/^target_not_allowed/),
        ]);
        // The redirect was received, and nothing was dialled after it.
        expect([location, outside.seen.length, dialled.length]).toEqual([location, 1, 1]);
      }
      expect([inside.connections, inside.bytes]).toEqual([0, 0]);
      for (const maxRedirects of [undefined, 0, 3]) {
        let hops = 0;
        outside.answer = (_, response) => {
          const to = ++hops > 50 ? {} : { Location: `http://first.example/${hops}` };
          response.writeHead(hops > 50 ? 200 : 302, to).end('moved');
        };
        const limit = maxRedirects === undefined ? {} : { maxRedirects };
        const chain = { url: 'http://first.example/', ...limit };
        expect(await failure(world, 'trusting', chain)).toMatch(/^too_many_redirects/);
        expect(hops).toBe((maxRedirects ?? 0) + 1);
      }
      const beyond = await job(world, { ...http, maxRedirects: 50 });
      expect([beyond.status, beyond.error().code]).toEqual([422, 'invalid']);
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
