import type { RunView } from '@signalbox/protocol';
import { expect } from 'vitest';
import { buildApp } from '../../../packages/node/src/api/app.ts';
import { ROUTES } from '../../../packages/node/src/api/routes.ts';
import { ApiWorld, ROOT_KEY } from '../../../packages/node/src/api/testing/api-world.ts';
import { Authenticator } from '../../../packages/node/src/auth/authenticator.ts';
import { fastest, type HostileWorld, type Row } from '../hostile-world.ts';

const submit = async (world: HostileWorld, fields: string): Promise<[number, string]> => {
  const answer = await world.post('/runs', `{"job":"${await world.job()}",${fields}}`);
  return [answer.status, answer.status < 400 ? '' : answer.error().code];
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
    title: 'a body that stops is given up: after 30 s by default',
    check: async ({ api }) => {
      const { context } = api.node;
      const auth = new Authenticator({ store: context.store, rootKey: ROOT_KEY, now: Date.now });
      const usual = buildApp({ context, auth, routes: ROUTES });
      expect(usual.server.requestTimeout).toBe(30_000);
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
      const said = await slow.talk(`${head.join('\r\n')}\r\n\r\n123456789`);
      expect(said === '' || said.startsWith('HTTP/1.1 408 ')).toBe(true);
      await app.close();
    },
  },
  {
    id: 'h23',
    title: 'a compressed body is not unpacked',
    check: async (world) => {
      const raw = Uint8Array.from([0x1f, 0x8b, 0x08, 0, 0, 0, 0, 0]);
      for (const encoding of ['gzip', 'deflate', 'br', 'zstd', 'identity, gzip']) {
        const answer = await world.post('/runs', raw, { 'content-encoding': encoding });
        expect([encoding, answer.status]).toEqual([encoding, 415]);
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
    title: 'a delay of 2^31 ms does not fire early, and one of 100 years is refused',
    check: async (world) => {
      expect(await submit(world, '"delay":3155760000000')).toEqual([422, 'invalid']);
      const job = await world.job({ tasks: [{ handler: 'echo' }] });
      const made = await world.api.ask('/runs', { body: { job, delay: 2 ** 31 } });
      expect(made.status).toBe(201);
      // The worker takes what is ready: a run submitted later has ended, so the first was not ready.
      expect(await world.ended({ tasks: [{ handler: 'echo' }] })).toMatchObject({
        state: 'SUCCEEDED',
      });
      const shown = await world.api.ask(`/runs/${made.json<{ id: string }>().id}`);
      const { submittedAt, tasks } = shown.json<RunView>();
      expect(tasks[0]?.attempts).toEqual([]);
      // The delay counts from the receipt of the request, which is a moment before its decision.
      const delayMs = Date.parse(tasks[0]?.runAt ?? '') - Date.parse(submittedAt);
      expect(delayMs).toBeGreaterThan(2 ** 31 - 1_000);
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
