import { ROLES, type Role } from '@signalbox/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Route } from './route.ts';
import { ROUTES } from './routes.ts';
import { type Answer, ApiWorld, type Ask, ROOT_KEY } from './testing/api-world.ts';

const RANK: Readonly<Record<string, number>> = { viewer: 0, submitter: 1, operator: 2, admin: 3 };
const A = 'tenant-a';
const B = 'tenant-b';

interface Key {
  readonly name: string;
  readonly role: Role;
  readonly platform: boolean;
  readonly text: string;
}

let world: ApiWorld;
const keys: Key[] = [];

beforeAll(async () => {
  world = await ApiWorld.start();
  for (const role of ROLES) {
    if (role !== 'worker') {
      const text = await world.makeKey(role, B);
      keys.push({ name: `${role} of a tenant`, role, platform: false, text });
    }
    const text = await world.makeKey(role, '*');
    keys.push({ name: `${role} of the platform`, role, platform: true, text });
  }
  keys.push({ name: 'the root key', role: 'admin', platform: true, text: ROOT_KEY });
});
afterAll(() => world.stop());

/** From the declaration alone, written anew: the gate must agree with this reading of it. */
function shouldPass(route: Route, key: Key): boolean {
  if (route.role === 'none') return true;
  if (route.role === 'signed') return false;
  if (route.platform === true && !key.platform) return false;
  if (key.role === 'worker') return route.alsoWorker === true;
  return (RANK[key.role] as number) >= (RANK[route.role] as number);
}

function pathOf(route: Route, fill = 'absent'): string {
  return route.url.replaceAll(/:\w+/g, fill);
}

function send(route: Route, ask: Ask, path = pathOf(route)): Promise<Answer> {
  const hasBody = route.method !== 'GET' && route.method !== 'DELETE' && route.bytes !== true;
  return world.ask(path, {
    method: route.method,
    ...(hasBody ? { body: {} } : {}),
    ...(route.bytes === true ? { raw: 'x' } : {}),
    ...ask,
  });
}

const named = ROUTES.map((route) => [`${route.method} ${route.url}`, route] as const);

describe('every route, every role', () => {
  it.each(named)('SEC-01 h01 %s asks for a key if it declares a role', async (_name, route) => {
    const { status, headers, text } = await send(route, { key: null });
    if (route.role === 'none') {
      expect(status).not.toBe(401);
      return;
    }
    // A signature is asked for in place of a key, and is missing as well.
    expect(status).toBe(401);
    expect(headers.get('www-authenticate')).toContain('Bearer');
    expect(JSON.parse(text).error.code).toBe('unauthenticated');
  });

  it.each(named)(
    'SEC-02 h05 %s lets in whom it declares, and nobody else',
    async (_name, route) => {
      // No key lets anybody in there.
      if (route.role === 'signed') return;
      for (const key of keys) {
        const { status, text } = await send(route, { key: key.text });
        if (shouldPass(route, key)) expect([key.name, status]).not.toEqual([key.name, 403]);
        else expect([key.name, status, text]).toEqual([key.name, 403, expect.any(String)]);
        expect([key.name, status]).not.toEqual([key.name, 401]);
        expect([key.name, status, text]).not.toEqual([key.name, 500, text]);
      }
    },
  );

  it.each(named)('SEC-02 %s: a key of one tenant cannot name another', async (_name, route) => {
    if (route.role === 'none' || route.role === 'signed') return;
    for (const key of keys.filter((one) => !one.platform)) {
      const { status } = await send(route, { key: key.text, tenant: A });
      expect([key.name, status]).toEqual([key.name, 403]);
    }
  });

  it('SEC-03 every change has an action for the audit log, or is a submission', () => {
    const sent = ROUTES.filter((route) => route.method !== 'GET');
    // Questions with a body: what would this change, what would this start?
    const checks = sent.filter((route) => route.role === 'viewer');
    expect(checks.map(({ url }) => url).sort()).toEqual([
      '/jobs/:job/check',
      '/schedules/:schedule/check',
      '/triggers/:trigger/check',
      '/triggers/test',
    ]);
    const changes = sent.filter((route) => !checks.includes(route));
    expect(changes.length).toBeGreaterThan(0);
    for (const route of changes) {
      const name = `${route.method} ${route.url}`;
      expect([name, route.audit !== undefined || route.submits === true]).toEqual([name, true]);
    }
    const submits = changes.filter((route) => route.submits === true).map((route) => route.url);
    expect(submits.sort()).toEqual([
      '/blobs',
      '/events',
      '/hooks/:tenant/:trigger',
      '/runs',
      '/runs/batch',
    ]);
  });
});

describe('addresses', () => {
  const spellings = (path: string): string[] => [
    `${path}/configs`,
    `${path};x`,
    `${path}/%2e%2e`,
    `${path}/../whoami`,
    path.replace('/api', '//api'),
    path.replace('/api/v1/', '/api/v1//'),
    `${path}.json`,
    path.toUpperCase(),
    `${path}/`,
    `${path}?token=${ROOT_KEY}`,
    `${path}#x`,
    `${path}%00`,
    `/x/..${path}`,
  ];
  const guarded = named.filter(([, route]) => route.role !== 'none');

  it.each(guarded)('h09 %s is guarded however it is written', async (_name, route) => {
    for (const path of spellings(`/api/v1${pathOf(route)}`)) {
      const status = await world.askPath(encodeURI(decodeURI(path)), route.method);
      expect([path, status >= 400 && status < 500]).toEqual([path, true]);
    }
  });
});
