import type { RunView } from '@signalbox/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiWorld } from './testing/api-world.ts';

let world: ApiWorld;
let key: string;
beforeAll(async () => {
  world = await ApiWorld.start();
  key = await world.makeKey('operator', 'acme');
  await world.ask('/jobs', { body: { name: 'mail' }, key });
});
afterAll(() => world.stop());

const viewOf = async (id: string) => (await world.ask(`/runs/${id}`, { key })).json<RunView>();

const submit = async (body: object): Promise<string> => {
  const answer = await world.ask('/runs', { body: { job: 'mail', ...body }, key });
  expect(answer.status, answer.text).toBe(201);
  return answer.json<{ id: string }>().id;
};

describe('the priority of a run', () => {
  it('PRI-01 is P1 if neither the job nor the submission names one', async () => {
    expect((await viewOf(await submit({}))).priority).toBe('P1');
  });

  it('PRI-01 is the one that the submission names', async () => {
    for (const priority of ['P0', 'P1', 'P2']) {
      expect((await viewOf(await submit({ priority }))).priority).toBe(priority);
    }
  });

  it.each([...['P3', 'p0', 'high', '', ' P1', 0, 11, -1, 1.5, null, true, {}]])(
    'PRI-01 that is unknown is refused, and nothing is stored: %j',
    async (priority) => {
      const count = async () =>
        (await world.ask('/runs', { key })).json<{ items: unknown[] }>().items.length;
      const before = await count();
      const bodies = [
        ['/runs', { job: 'mail', priority }],
        ['/jobs', { name: 'other', definition: { priority } }],
      ] as const;
      for (const [path, body] of bodies) {
        const answer = await world.ask(path, { body, key });
        expect(answer.status).toBe(422);
        expect(answer.error().field).toMatch(/priority$/);
      }
      expect(await count()).toBe(before);
      expect((await world.ask('/jobs/other', { key })).status).toBe(404);
    },
  );

  it('PRI-09 is changed while the run waits, with who and why in the audit log', async () => {
    const id = await submit({ priority: 'P2' });
    const change = { priority: 'P0', reason: 'customer waits' };
    expect((await world.ask(`/runs/${id}/priority`, { body: change, key })).status).toBe(200);
    expect((await viewOf(id)).priority).toBe('P0');
    const audit = await world.ask('/audit?limit=1000', { tenant: 'acme' });
    const { items } = audit.json<{ items: Record<string, string>[] }>();
    expect(items.at(-1)).toMatchObject({
      action: 'run.priority',
      target: id,
      actor: key.split('_')[1],
      after: 'P0',
      reason: 'customer waits',
    });
  });

  it('PRI-09 is not changed by a key that may not', async () => {
    const id = await submit({ priority: 'P2' });
    const viewer = await world.makeKey('viewer', 'acme');
    const refused = await world.ask(`/runs/${id}/priority`, {
      body: { priority: 'P0' },
      key: viewer,
    });
    expect(refused.status).toBe(403);
    expect((await viewOf(id)).priority).toBe('P2');
  });
});

describe('a client that names no tenant', () => {
  it('TEN-12 acts for the tenant of its key, and cannot choose another', async () => {
    const other = await world.makeKey('operator', 'globex');
    for (const own of [key, other]) {
      await world.ask('/jobs', { body: { name: 'nightly' }, key: own });
    }
    const made = await world.ask('/runs', { body: { job: 'nightly' }, key: other });
    const { id } = made.json<{ id: string }>();
    expect((await world.ask(`/runs/${id}`, { tenant: 'globex' })).status).toBe(200);
    expect((await world.ask(`/runs/${id}`, { key })).status).toBe(404);
    const who = async (who: string) => (await world.ask('/whoami', { key: who })).json();
    expect(await who(key)).toMatchObject({ tenant: 'acme' });
    expect(await who(other)).toMatchObject({ tenant: 'globex' });
    const foreign = await world.ask('/runs', {
      body: { job: 'nightly' },
      key: other,
      tenant: 'acme',
    });
    expect(foreign.status).toBe(403);
  });
});
