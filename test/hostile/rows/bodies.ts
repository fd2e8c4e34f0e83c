import { gzipSync, zstdCompressSync } from 'node:zlib';
import { LIMITS, type RunView } from '@signalbox/protocol';
import { expect } from 'vitest';
import { APP_LIMITS, buildApp } from '../../../packages/node/src/api/app.ts';
import { ROUTES } from '../../../packages/node/src/api/routes.ts';
import { ApiWorld, ROOT_KEY } from '../../../packages/node/src/api/testing/api-world.ts';
import { Authenticator } from '../../../packages/node/src/auth/authenticator.ts';
import { fastest, type HostileWorld, type Row } from '../hostile-world.ts';

const submit = async (world: HostileWorld, fields: string): Promise<[number, string]> => {
  const answer = await world.post('/runs', `{"job":"${await world.job()}",${fields}}`);
  return [answer.status, answer.status < 400 ? '' : answer.error().code];
};

const oneMegabyte = gzipSync(Buffer.alloc(1 << 20));
const repeated = (part: Buffer, count: number) =>
  Uint8Array.from(Buffer.concat(Array.from({ length: count }, () => part)));

/** Members and frames may follow each other, so none of these needs a gigabyte to make. */
const BOMBS = {
  /** 10 KB that unpack to 10 MB, which is all that gzip can do. */
  small: repeated(oneMegabyte, 10),
  /** 1 MB that unpacks to 1 GB. */
  large: repeated(oneMegabyte, 1_024),
  /** 33 KB that unpack to 1 GB. */
  smallest: repeated(zstdCompressSync(Buffer.alloc(1 << 27)), 8),
};

export const BODIES: readonly Row[] = [
  {
    id: 'h17',
    title: 'keys that change prototypes are refused, and no prototype is changed',
    check: async (world) => {
      const members = [
        '"__proto__":{"admin":true}',
        '"constructor":{"prototype":{"admin":true}}',
        '"\\u005f\\u005fproto__":{"admin":true}',
      ];
      for (const member of members) {
        expect(await submit(world, member)).toEqual([422, 'invalid']);
        expect(await submit(world, `"input":{"a":[{${member}}]}`)).toEqual([422, 'invalid']);
      }
      expect(({} as Record<string, unknown>)['admin']).toBeUndefined();
    },
  },
  {
    id: 'h19',
    title: 'a body of a million levels or of 2 MB is refused within 100 ms',
    check: async (world) => {
      const deep = '['.repeat(1_000_000);
      const large = `"${'x'.repeat(2_000_000)}"`;
      expect((await world.post('/runs', deep)).status).toBe(400);
      expect((await world.post('/runs', large)).status).toBe(413);
      expect(await fastest(() => world.post('/runs', deep))).toBeLessThan(100);
      expect(await fastest(() => world.post('/runs', large))).toBeLessThan(100);
    },
  },
  {
    id: 'h21',
    title: 'a body that stops one byte early is refused with 408 or closed, by default within 30 s',
    check: async ({ api }) => {
      const { context } = api.node;
      const auth = new Authenticator({ store: context.store, rootKey: ROOT_KEY, now: Date.now });
      const usual = buildApp({ context, auth, routes: ROUTES });
      // The server looks for late requests at intervals: the latest end is the sum.
      const { requestTimeoutMs, checkEveryMs } = APP_LIMITS;
      expect(usual.server.requestTimeout).toBe(requestTimeoutMs);
      expect(requestTimeoutMs + checkEveryMs).toBeLessThan(30_000);
      await usual.close();
      const limits = { requestTimeoutMs: 200, headersTimeoutMs: 100, checkEveryMs: 20 };
      const app = buildApp({ context, auth, routes: ROUTES, limits });
      const url = await app.listen({ host: '127.0.0.1', port: 0 });
      const slow = Object.assign(Object.create(ApiWorld.prototype), { url }) as ApiWorld;
      const head = [
        'POST /api/v1/runs HTTP/1.1',
        'Host: x',
        `Authorization: Bearer ${ROOT_KEY}`,
        'Content-Type: application/json',
        'Content-Length: 10',
      ];
      const startedAt = performance.now();
      const said = await slow.talk(`${head.join('\r\n')}\r\n\r\n123456789`);
      expect(said === '' || said.startsWith('HTTP/1.1 408 ')).toBe(true);
      const ms = performance.now() - startedAt;
      expect(ms).toBeGreaterThan(limits.requestTimeoutMs - limits.checkEveryMs);
      expect(ms).toBeLessThan(30_000);
      await app.close();
    },
  },
  {
    id: 'h23',
    title: 'a compressed body that unpacks to 1 GB is refused and not unpacked',
    check: async (world) => {
      const { small, large, smallest } = BOMBS;
      for (const [encoding, raw] of [
        ['gzip', small],
        ['gzip', large],
        ['zstd', smallest],
        ['deflate', small],
        ['br', small],
        ['identity, gzip', small],
        ['GZIP', small],
        ['x-gzip', small],
      ] as const) {
        const before = process.memoryUsage().rss;
        const startedAt = performance.now();
        const headers = { 'content-type': 'application/json', 'content-encoding': encoding };
        for (const [method, path] of [
          ['POST', '/runs'],
          ['POST', '/runs/batch'],
          ['PUT', '/blobs'],
        ] as const) {
          const answer = await world.api.ask(path, { method, raw, headers });
          expect([encoding, path, answer.status]).toEqual([encoding, path, 415]);
        }
        // Unpacking needs more than a second, and a gigabyte where the result is kept.
        expect(performance.now() - startedAt).toBeLessThan(1_000);
        expect(process.memoryUsage().rss - before).toBeLessThan(200_000_000);
      }
    },
  },
  {
    id: 'h25',
    title: 'text that is not Unicode is refused',
    check: async (world) => {
      expect(await submit(world, '"input":"\\ud800"')).toEqual([400, 'bad_request']);
      const bytes = Uint8Array.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]);
      expect((await world.post('/runs', bytes)).status).toBe(400);
    },
  },
  {
    id: 'h27',
    title: 'a body that is not declared as JSON is refused',
    check: async (world) => {
      const raw = `{"job":"${await world.job()}"}`;
      for (const type of [
        'text/plain',
        'multipart/form-data; boundary=x',
        'application/x-www-form-urlencoded',
      ]) {
        const answer = await world.post('/runs', raw, { 'content-type': type });
        expect([type, answer.status]).toEqual([type, 415]);
      }
    },
  },
  {
    id: 'h29',
    title: 'integers beyond 2^53, beyond a double, and -0 are refused',
    check: async (world) => {
      for (const number of ['9007199254740993', '1e400', '-0']) {
        expect(await submit(world, `"delay":${number}`)).toEqual([422, 'invalid']);
      }
    },
  },
  {
    id: 'h31',
    title:
      'a delay of 2^31 ms does not fire early, and one of 100 years or beyond the limit is refused',
    check: async (world) => {
      const { max } = LIMITS['submission.delay'];
      for (const delay of ['3155760000000', '"876000h"', String(max + 1)]) {
        expect([delay, await submit(world, `"delay":${delay}`)]).toEqual([delay, [422, 'invalid']]);
      }
      expect((await submit(world, `"delay":${max}`))[0]).toBe(201);
      const job = await world.job({ tasks: [{ handler: 'echo' }] });
      const sentAt = world.api.node.context.loop.time.now();
      const made = await world.api.ask('/runs', { body: { job, delay: 2 ** 31 } });
      expect(made.status).toBe(201);
      // The worker takes what is ready: a run submitted later has ended, so the first was not ready.
      expect(await world.ended({ tasks: [{ handler: 'echo' }] })).toMatchObject({
        state: 'SUCCEEDED',
      });
      const shown = await world.api.ask(`/runs/${made.json<{ id: string }>().id}`);
      const { tasks } = shown.json<RunView>();
      expect(tasks[0]?.attempts).toEqual([]);
      // The delay counts from the receipt of the request, which is not before it was sent.
      expect(Date.parse(tasks[0]?.runAt ?? '')).toBeGreaterThanOrEqual(sentAt + 2 ** 31);
    },
  },
  {
    id: 'h33',
    title: 'the same idempotency key a thousand times at once is one run',
    check: async (world) => {
      const body = { job: await world.job(), idempotencyKey: world.name() };
      const answers = await Promise.all(
        Array.from({ length: 1_000 }, () => world.api.ask('/runs', { body })),
      );
      const statuses = answers.map(({ status }) => status);
      expect(statuses.filter((status) => status === 201)).toHaveLength(1);
      expect(statuses.filter((status) => status === 200)).toHaveLength(999);
      expect(new Set(answers.map((answer) => answer.json<{ id: string }>().id)).size).toBe(1);
    },
  },
];
