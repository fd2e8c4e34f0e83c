import type { Key } from '@signalbox/protocol';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { job } from './index.ts';
import { BothPlaces } from './test-programs/both-places.ts';

const greet = job('greet', (input: { name: string }) => `hello, ${input.name}`);

const both = new BothPlaces();
beforeAll(() => both.start());
afterAll(() => both.stop());

async function keys(method: string, body?: object, path = ''): Promise<unknown> {
  const response = await fetch(`${both.url}/api/v1/keys${path}`, {
    method,
    headers: { authorization: `Bearer ${both.key}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  return response.json();
}

const made = async (role: string) => (await keys('POST', { role })) as Key;

it('a key of role worker runs handlers of jobs that are defined, and defines none', async () => {
  await using admin = await both.connect(both.key);
  await admin.apply([greet]);
  const { secret = '' } = await made('worker');
  await using worker = await both.connect(secret);
  const settings = { ...greet.definition, priority: 'P0' } as const;
  const started = await worker.work([{ ...greet, definition: settings }], { name: 'by-key' });
  expect(started.name).toBe('by-key');
  const run = await admin.submit(greet, { name: 'Ada' });
  expect(await run.result()).toBe('hello, Ada');
  // What the worker says of the job changes nothing.
  expect((await run.view()).priority).toBe('P1');
  await expect(worker.apply([greet])).rejects.toMatchObject({ code: 'forbidden' });
});

it('a key of another role is told that it may not run a worker', async () => {
  const { secret = '' } = await made('operator');
  await using box = await both.connect(secret);
  await expect(box.work([greet])).rejects.toMatchObject({ code: 'forbidden' });
  const viewer = await made('viewer');
  await using looks = await both.connect(viewer.secret ?? '');
  await expect(looks.work([greet])).rejects.toMatchObject({ code: 'forbidden' });
});

it('keys of workers are listed and revoked by the platform, without naming a tenant', async () => {
  const { id } = await made('worker');
  const { items } = (await keys('GET')) as { items: Key[] };
  expect(items.find((key) => key.id === id)).toMatchObject({ role: 'worker', tenant: '*' });
  expect(await keys('DELETE', undefined, `/${id}`)).toMatchObject({ id, revoked: true });
});
