import { crc32 } from 'node:zlib';
import { createMemoryStore } from '@signalbox/store/memory';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../errors/api-error.ts';
import { Authenticator } from './authenticator.ts';
import { makeKey, parseKey } from './key-format.ts';
import { mayCall } from './roles.ts';
import { assertStrongKey } from './strong-key.ts';
import type { WrongKeyLimits } from './wrong-keys.ts';

const ROOT = 'Zk3vQ9xT7mB2wR8nL5cJ1hD6gF4sA0pE';

async function codeOf(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => 'let in',
    (error: unknown) => (error instanceof ApiError ? error.code : String(error)),
  );
}

function world(limits: Partial<WrongKeyLimits> = {}) {
  let now = Date.parse('2026-01-01T00:00:00Z');
  const store = createMemoryStore({ now: () => now });
  let elapsed = 0;
  const params = { store, rootKey: ROOT, now: () => now, monotonicMs: () => elapsed, limits };
  const make = () => new Authenticator(params);
  const create = (auth: Authenticator, expiresAt: string | null = null) =>
    auth.keys.create({ tenant: 'acme', role: 'operator', note: '', expiresAt, author: 'root' });
  const step = (ms: number): void => {
    now += ms;
  };
  const pass = (ms: number): void => {
    elapsed += ms;
    step(ms);
  };
  return { store, auth: make(), make, create, pass, step };
}

describe('the text of a key', () => {
  it('is read back as it was made', () => {
    const { id, secret, text } = makeKey();
    expect(text).toMatch(/^sbx_[0-9a-f]{16}_/);
    expect(parseKey(text)).toEqual({ id, secret });
  });

  it('is dropped when a character is mistyped, without asking the store', () => {
    const { text } = makeKey();
    for (let i = 0; i < text.length; i++) {
      const other = text[i] === 'a' ? 'b' : 'a';
      expect(parseKey(text.slice(0, i) + other + text.slice(i + 1))).toBeNull();
    }
  });
});

describe('keys', () => {
  it('SEC-01 lets a made key in as what it is, and the root key as the platform', async () => {
    const { auth, create } = world();
    const { text, key } = await create(auth);
    expect(await auth.authenticate(text, '1')).toEqual({
      key: key.id,
      tenant: 'acme',
      role: 'operator',
    });
    expect(await auth.authenticate(ROOT, '1')).toEqual({ key: 'root', tenant: '*', role: 'admin' });
  });

  it('SEC-01 forgets what it remembers by time that passed, whatever the clock is set to', async () => {
    const { auth, make, create, pass, step } = world();
    const { text, key } = await create(auth);
    await auth.authenticate(text, '1');
    step(-3_600_000);
    await make().keys.revoke({ tenants: ['acme'], id: key.id, author: 'root' });
    pass(10_000);
    expect(await auth.isLive(key.id)).toBe(false);
  });

  it('SEC-01 takes an expiry that cannot be read as over', async () => {
    const { auth, create } = world();
    const { key } = await create(auth, '2030-12-31T23:59:60Z');
    expect(await auth.isLive(key.id)).toBe(false);
  });

  it('keeps a digest, never the secret', async () => {
    const { auth, create, store } = world();
    const { text } = await create(auth);
    const secret = parseKey(text)?.secret as string;
    const kept = await store.listDefinitions({ tenant: '*', kind: 'key', after: null, limit: 9 });
    expect(kept).toHaveLength(1);
    expect(JSON.stringify(kept)).not.toContain(secret);
  });

  it('stops working within five seconds of being revoked, on a node that was not told', async () => {
    const { make, create, pass } = world();
    const [here, there] = [make(), make()];
    const { text, key } = await create(here);
    await there.authenticate(text, '1');
    await here.keys.revoke({ tenants: ['acme'], id: key.id, author: 'root' });
    expect(await codeOf(here.authenticate(text, '1'))).toBe('unauthenticated');
    pass(5_000);
    expect(await codeOf(there.authenticate(text, '1'))).toBe('unauthenticated');
    expect(await there.isLive(key.id)).toBe(false);
  });

  it('expires', async () => {
    const { auth, create, pass } = world();
    const { text } = await create(auth, '2026-01-01T00:01:00Z');
    expect(await codeOf(auth.authenticate(text, '1'))).toBe('let in');
    pass(60_000);
    expect(await codeOf(auth.authenticate(text, '1'))).toBe('unauthenticated');
  });

  it('of another tenant cannot be revoked', async () => {
    const { auth, create } = world();
    const { key } = await create(auth);
    expect(await auth.keys.revoke({ tenants: ['other'], id: key.id, author: 'x' })).toBeNull();
    expect(await auth.isLive(key.id)).toBe(true);
  });
});

describe('wrong keys', () => {
  it('h03 answers an unknown id and a wrong secret alike, and asks the store equally often', async () => {
    const { auth, create, store } = world({ perKey: 1_000_000, perAddress: 1_000_000 });
    const { key } = await create(auth);
    const right = makeKey();
    const wrong = forge(key.id, right.secret);
    const unknown = forge('0123456789abcdef', right.secret);
    let reads = 0;
    const get = store.getDefinition;
    store.getDefinition = (query) => {
      reads++;
      return get(query);
    };
    for (const text of [wrong, unknown]) {
      reads = 0;
      for (let i = 0; i < 100; i++) {
        expect(await codeOf(auth.authenticate(text, '1'))).toBe('unauthenticated');
      }
      expect(reads).toBe(1);
    }
  });

  it('are answered with 429 after ten in a minute, of that key and from that address only', async () => {
    const { auth, pass } = world();
    const bad = makeKey().text;
    for (let i = 0; i < 10; i++) {
      expect(await codeOf(auth.authenticate(bad, '1.2.3.4'))).toBe('unauthenticated');
    }
    expect(await codeOf(auth.authenticate(bad, '1.2.3.4'))).toBe('rate_limited');
    expect(await codeOf(auth.authenticate(bad, '1.2.3.5'))).toBe('unauthenticated');
    expect(await codeOf(auth.authenticate(makeKey().text, '1.2.3.4'))).toBe('unauthenticated');
    expect(await codeOf(auth.authenticate(ROOT, '1.2.3.4'))).toBe('let in');
    pass(60_000);
    expect(await codeOf(auth.authenticate(bad, '1.2.3.4'))).toBe('unauthenticated');
  });

  it('SEC-01 do not lock out a valid key that this node has not seen, however many there are', async () => {
    for (const count of [10, 2_000]) {
      const { auth, make, create } = world();
      const { text, key } = await create(make());
      for (let i = 0; i < count; i++) await codeOf(auth.authenticate(makeKey().text, '9'));
      await codeOf(auth.authenticate(forge(key.id, makeKey().secret), '9'));
      expect(await codeOf(auth.authenticate(text, '9'))).toBe('let in');
      expect(await codeOf(auth.authenticate(text, '10'))).toBe('let in');
    }
  });

  it('SEC-01 are refused alike in a flood, whether the id exists or not', async () => {
    const { auth, create } = world();
    const { key } = await create(auth);
    for (let i = 0; i < 200; i++) await codeOf(auth.authenticate(makeKey().text, '9'));
    for (const id of [key.id, '0123456789abcdef'])
      expect(await codeOf(auth.authenticate(forge(id, makeKey().secret), '9'))).toBe(
        'rate_limited',
      );
  });

  it('SEC-01 cost a bounded number of reads, one after the other or all at once', async () => {
    for (const atOnce of [1, 2_000]) {
      const { auth, store, create } = world();
      await create(auth);
      let reads = 0;
      const { getDefinition, listDefinitions } = store;
      store.getDefinition = (query) => {
        reads++;
        return getDefinition(query);
      };
      store.listDefinitions = (query) => {
        reads++;
        return listDefinitions(query);
      };
      for (let sent = 0; sent < 4_000; sent += atOnce) {
        const texts = Array.from({ length: atOnce }, () => makeKey().text);
        // Each from another network: no limit by address is reached.
        await Promise.all(
          texts.map((text, i) => codeOf(auth.authenticate(text, `2001:db8:${sent}:${i}::1`))),
        );
      }
      expect(reads).toBeLessThan(1_100);
    }
  });

  it('SEC-01 from one IPv6 network count together', async () => {
    const { auth } = world({ perAddress: 10 });
    const send = (i: number) => auth.authenticate(makeKey().text, `2001:db8::${i}`);
    for (let i = 0; i < 10; i++) expect(await codeOf(send(i))).toBe('unauthenticated');
    expect(await codeOf(send(10))).toBe('rate_limited');
    expect(await codeOf(auth.authenticate(makeKey().text, '2001:db8:0:1::1'))).toBe(
      'unauthenticated',
    );
  });

  it('SEC-01 a key made in a flood is admitted after the next reading of the ids', async () => {
    const { auth, make, create, pass } = world();
    for (let i = 0; i < 200; i++) await codeOf(auth.authenticate(makeKey().text, '9'));
    const { text } = await create(make());
    expect(await codeOf(auth.authenticate(text, '9'))).toBe('rate_limited');
    pass(3_000);
    expect(await codeOf(auth.authenticate(text, '9'))).toBe('let in');
  });

  it('do not lock out a key that is in use behind the same address', async () => {
    const { auth, create, pass } = world();
    const { text } = await create(auth);
    await auth.authenticate(text, '9');
    for (let i = 0; i < 20; i++) await codeOf(auth.authenticate(makeKey().text, '9'));
    pass(4_000);
    expect(await codeOf(auth.authenticate(text, '9'))).toBe('let in');
  });
});

/** A key with a right checksum over parts that do not belong together. */
function forge(id: string, secret: string): string {
  const body = `sbx_${id}_${secret}`;
  return body + crc32(body).toString(16).padStart(8, '0');
}

describe('the root key', () => {
  it.each([
    '',
    '   ',
    'changeme',
    'CHANGE-ME',
    'secret',
    'secretsecretsecretsecretsecretsecret',
    'password1234',
    'signalbox',
    'short-but-Random9',
    'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
    '12121212121212121212121212121212121212',
    'abcabcabcabcabcabcabcabcabcabcabcabcabc',
    'with a space in it and long enough for all',
  ])('h77 is refused in one clear line: %j', (key) => {
    expect(() => assertStrongKey(key)).toThrow(/^the root key \(SIGNALBOX_KEY\) [^\n]+$/);
  });

  it.each([
    ROOT,
    '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    'Qm9yZWQgb2YgYmFzZTY0PyBNZSB0b28uIQ-_x9',
  ])('is taken when it looks random: %j', (key) => {
    expect(() => assertStrongKey(key)).not.toThrow();
  });

  it('takes every key that is made here, and what openssl makes', () => {
    for (let i = 0; i < 200; i++) {
      expect(() => assertStrongKey(makeKey().text)).not.toThrow();
      expect(() => assertStrongKey(makeKey().id + makeKey().id + makeKey().id)).not.toThrow();
    }
  });
});

describe('roles', () => {
  const tenant = (role: 'viewer' | 'submitter' | 'operator' | 'admin') =>
    ({ key: 'k', tenant: 'acme', role }) as const;

  it('may do what those before them may', () => {
    expect(mayCall({ role: 'submitter' }, tenant('viewer'))).toBe(false);
    expect(mayCall({ role: 'submitter' }, tenant('submitter'))).toBe(true);
    expect(mayCall({ role: 'viewer' }, tenant('admin'))).toBe(true);
    expect(mayCall({ role: 'admin', platform: true }, tenant('admin'))).toBe(false);
  });

  it('SEC-06 leave the worker apart', () => {
    const worker = { key: 'k', tenant: '*', role: 'worker' } as const;
    expect(mayCall({ role: 'viewer' }, worker)).toBe(false);
    expect(mayCall({ role: 'viewer', alsoWorker: true }, worker)).toBe(true);
    expect(mayCall({ role: 'worker' }, worker)).toBe(true);
    expect(mayCall({ role: 'worker' }, tenant('admin'))).toBe(false);
  });
});
