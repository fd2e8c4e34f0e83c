import { StoreError } from '@signalbox/store';
import { createMemoryStore } from '@signalbox/store/memory';
import { beforeEach, describe, expect, it } from 'vitest';
import { SecretBox } from './seal.ts';
import { SECRET_KIND as kind, SecretReader, secretSubject } from './secret-reader.ts';

const box = new SecretBox('root key of these nodes');
const store = createMemoryStore({ now: () => 0 });

async function put(tenant: string, name: string, body: object): Promise<void> {
  const found = await store.getDefinition({ tenant, kind, name });
  const expectedVersion = found?.version ?? 0;
  const key = { tenant, kind, name, expectedVersion, author: 'a' };
  await store.putDefinition({ ...key, body: JSON.stringify(body) });
}

describe('reading secrets', () => {
  beforeEach(async () => {
    await store.migrate();
    await put('a', 'token', { sealed: box.seal('value', secretSubject('a', 'token')) });
  });

  it('returns the values of the tenant', async () => {
    const values = await new SecretReader({ store, box }).read('a', ['token']);
    expect(values).toEqual(new Map([['token', 'value']]));
  });

  it('does not open what another tenant or another name has', async () => {
    const reader = new SecretReader({ store, box });
    const error = 'secret_not_found: the tenant has no secret token';
    expect(await reader.read('b', ['token'])).toEqual({ error });
    const copied = { sealed: box.seal('value', secretSubject('a', 'token')) };
    await put('b', 'token', copied);
    await put('a', 'other', copied);
    for (const [tenant, name] of [
      ['b', 'token'],
      ['a', 'other'],
    ] as const) {
      expect(await reader.read(tenant, [name])).toMatchObject({
        error: expect.stringMatching(/^secret_unreadable: the secret \w+ cannot be decrypted/),
      });
    }
  });

  it('says that a stored secret is damaged, so that the attempt fails and no worker is blamed', async () => {
    const refusing = {
      ...store,
      getDefinition: () => Promise.reject(new StoreError('damaged', 'the row is damaged')),
    };
    const error = 'secret_unreadable: the stored secret token is damaged; set it again';
    expect(await new SecretReader({ store: refusing, box }).read('a', ['token'])).toEqual({
      error,
    });
  });

  it('says why where the root key is another one, or there is none', async () => {
    const other = new SecretBox('another root key');
    expect(await new SecretReader({ store, box: other }).read('a', ['token'])).toMatchObject({
      error: expect.stringContaining('encrypted with another root key; set it again'),
    });
    expect(await new SecretReader({ store, box: undefined }).read('a', ['token'])).toMatchObject({
      error: 'secret_unreadable: this node has no root key to decrypt secrets with',
    });
  });
});
