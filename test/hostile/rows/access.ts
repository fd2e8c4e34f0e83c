import { crc32 } from 'node:zlib';
import { expect } from 'vitest';
import { ROUTES } from '../../../packages/node/src/api/routes.ts';
import { ROOT_KEY } from '../../../packages/node/src/api/testing/api-world.ts';
import { Authenticator } from '../../../packages/node/src/auth/authenticator.ts';
import { makeKey, parseKey } from '../../../packages/node/src/auth/key-format.ts';
import { RawSocket } from '../../../packages/node/src/gateway/testing/raw-socket.ts';
import { type HostileWorld, type Row, shownOf } from '../hostile-world.ts';

const TIMED_TRIES = 10_000;

/** A key with a valid checksum: one without is refused before its id is looked up. */
function forge(id: string, secret: string): string {
  const sum = crc32(`sbx_${id}_${secret}`).toString(16).padStart(8, '0');
  return `sbx_${id}_${secret}${sum}`;
}

function medianMs(times: number[]): number {
  return times.sort((a, b) => a - b)[Math.floor(times.length / 2)] as number;
}

async function timed(world: HostileWorld, keys: readonly string[]): Promise<number[]> {
  const { store } = world.api.node.context;
  const auth = new Authenticator({ store, rootKey: ROOT_KEY, now: Date.now });
  const times = keys.map((): number[] => []);
  for (let i = 0; i < TIMED_TRIES; i++) {
    // In turn, so that a slow moment of the machine meets all of them; from another address each, because
    // the limit for wrong keys counts by address.
    for (const [k, key] of keys.entries()) {
      const startedAt = performance.now();
      await auth.authenticate(key, `10.${k}.${i >> 8}.${i & 255}`).catch(() => {});
      times[k]?.push(performance.now() - startedAt);
    }
  }
  return times.map(medianMs);
}

function spellingsOf(path: string): string[] {
  return [
    `${path}/configs`,
    `${path};x`,
    `${path}/%2e%2e`,
    path.replace('/api', '//api'),
    `${path}.json`,
    path.toUpperCase(),
    `${path}/`,
    `${path}?token=${ROOT_KEY}`,
  ];
}

export const ACCESS: readonly Row[] = [
  {
    id: 'h01',
    title: 'a request without a key is 401 and names the scheme',
    check: async ({ api }) => {
      const answer = await api.ask('/runs', { key: null });
      expect([answer.status, answer.error().code]).toEqual([401, 'unauthenticated']);
      expect(answer.headers.get('www-authenticate')).toContain('Bearer');
    },
  },
  {
    id: 'h03',
    title:
      'a wrong secret and an unknown id get the same response, and the medians of 10,000 tries differ by less than 5 %',
    check: async (world) => {
      const key = await world.key('viewer', 'default');
      const { id = '' } = parseKey(key) ?? {};
      const { secret } = makeKey();
      const wrong = forge(id, secret);
      const unknown = forge('0123456789abcdef', secret);
      expect([parseKey(wrong)?.id, parseKey(unknown)?.secret]).toEqual([id, secret]);
      const answers = await Promise.all(
        [wrong, unknown].map((text) => world.api.ask('/runs', { key: text })),
      );
      const [first, second] = answers.map((answer) => shownOf(answer));
      expect(first?.[0]).toBe(401);
      expect(second).toEqual(first);
      const ratios: number[] = [];
      // Another process of the machine may disturb a round, so one of three is enough.
      while (ratios.length < 3 && !ratios.some((ratio) => ratio < 1.05)) {
        const [a = 0, b = 0] = await timed(world, [wrong, unknown]);
        ratios.push(Math.max(a, b) / Math.min(a, b));
      }
      expect(Math.min(...ratios)).toBeLessThan(1.05);
    },
  },
  {
    id: 'h05',
    title: 'a viewer cannot submit, cancel or retry',
    check: async (world) => {
      const key = await world.key('viewer', 'default');
      const id = await world.run();
      for (const [path, body] of [
        ['/runs', { job: 'n1' }],
        [`/runs/${id}/cancel`, {}],
        [`/runs/${id}/retry`, {}],
      ] as const) {
        const answer = await world.api.ask(path, { key, body });
        expect([path, answer.status, answer.error().code]).toEqual([path, 403, 'forbidden']);
      }
    },
  },
  {
    id: 'h07',
    title: 'a key in the address opens nothing and is in no log',
    check: async ({ api }) => {
      for (const name of ['token', 'key', 'api_key', 'access_token']) {
        expect((await api.ask(`/whoami?${name}=${ROOT_KEY}`, { key: null })).status).toBe(401);
      }
      expect(api.logged.join('')).toContain('request');
      expect(api.logged.join('')).not.toContain(ROOT_KEY);
    },
  },
  {
    id: 'h09',
    title: 'no spelling of an address avoids the key',
    check: async ({ api }) => {
      for (const { url, method, role } of ROUTES) {
        if (role === 'none') continue;
        const path = `/api/v1${url.replaceAll(/:\w+/g, 'absent')}`;
        for (const spelling of spellingsOf(path)) {
          const status = await api.askPath(spelling, method);
          expect([spelling, status >= 400 && status < 500]).toEqual([spelling, true]);
        }
      }
    },
  },
  {
    id: 'h71',
    title:
      'without a console: a page of another origin gets no cookie, no CORS headers and no worker socket',
    // No response sets a cookie, so a browser has no credentials that a foreign page could use: a request with
    // a key in a header is one that the page itself can make. CSRF headers come with sessions of a console.
    check: async ({ api, port }) => {
      const origin = { origin: 'https://evil.example' };
      for (const method of ['POST', 'OPTIONS', 'GET']) {
        const answer = await api.ask('/runs', { key: null, method, headers: origin });
        expect(answer.status).toBeGreaterThanOrEqual(400);
        expect(answer.headers.get('set-cookie')).toBeNull();
        expect(answer.headers.get('access-control-allow-origin')).toBeNull();
      }
      const headers = [`Authorization: Bearer ${ROOT_KEY}`, `Origin: ${origin.origin}`];
      const socket = await RawSocket.open(port, headers);
      expect(await socket.status()).toBe(403);
      socket.destroy();
    },
  },
  {
    id: 'h75',
    title: 'TRACE and CONNECT are refused, and a method override is ignored',
    check: async (world) => {
      const { api } = world;
      for (const method of ['TRACE', 'PROPFIND', 'PATCH']) {
        expect(await api.askPath('/api/v1/runs', method)).toBe(405);
      }
      const said = await api.talk('CONNECT example.org:443 HTTP/1.1\r\nHost: x\r\n\r\n');
      expect(said).not.toMatch(/^HTTP\/1\.1 2/);
      const job = await world.job();
      const headers = { 'x-http-method-override': 'DELETE' };
      await api.ask(`/jobs/${job}`, { headers });
      expect((await api.ask(`/jobs/${job}`)).json()).toMatchObject({ state: 'active' });
    },
  },
];
