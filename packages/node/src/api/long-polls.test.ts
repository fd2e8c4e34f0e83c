import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LongPolls } from './long-polls.ts';
import { ApiWorld } from './testing/api-world.ts';

let world: ApiWorld;
beforeAll(async () => {
  world = await ApiWorld.start();
});
afterAll(() => world.stop());

async function waitingRun(tenant: string): Promise<string> {
  await world.ask('/jobs', { body: { name: 'waits', definition: {} }, tenant });
  return (await world.ask('/runs', { body: { job: 'waits' }, tenant })).json<{ id: string }>().id;
}

describe('a request that waits for the end of a run', () => {
  it('SEC-01 ends within five seconds after its key is revoked, and others wait on', async () => {
    const tenant = 'revoked';
    const key = await world.makeKey('viewer', tenant);
    const other = await world.makeKey('viewer', tenant);
    const run = await waitingRun(tenant);
    const wait = world.ask(`/runs/${run}?wait=10s`, { key });
    const kept = world.ask(`/runs/${run}?wait=10s`, { key: other });
    // Answered after the two before it were received: the requests use one process and one store.
    await world.ask(`/runs/${run}`, { key });
    const revokedAt = performance.now();
    await world.ask(`/keys/${key.split('_')[1]}`, { method: 'DELETE', tenant });
    const answer = await wait;
    expect([answer.status, answer.error().code]).toEqual([401, 'unauthenticated']);
    expect(performance.now() - revokedAt).toBeLessThan(5_000);
    await world.ask(`/runs/${run}/cancel`, { body: {}, tenant });
    expect((await kept).json()).toMatchObject({ state: 'CANCELLED' });
  });

  it('SEC-01 ends within five seconds after its key expires', async () => {
    const tenant = 'expired';
    const expiresAt = new Date(Date.now() + 1_000).toISOString();
    const made = await world.ask('/keys', { body: { role: 'viewer', expiresAt }, tenant });
    const run = await waitingRun(tenant);
    const key = made.json<{ secret: string }>().secret;
    const answer = await world.ask(`/runs/${run}?wait=10s`, { key });
    expect(answer.status).toBe(401);
    expect(Date.now() - Date.parse(expiresAt)).toBeLessThan(5_000);
  });

  it('is forgotten once it has ended', async () => {
    const polls = new LongPolls();
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    const first = polls.whileLive('k', promise);
    const second = polls.whileLive('k', Promise.resolve(2));
    expect(await second).toBe(2);
    expect([...polls.keys()]).toEqual(['k']);
    expect(polls.closeSessionsOf('k')).toBe(1);
    await expect(first).rejects.toMatchObject({ code: 'unauthenticated' });
    expect(polls.keys().size).toBe(0);
    // Nobody waits for the handler any more, so its failure is nobody's.
    reject(new Error('late'));
    resolve(1);
    await new Promise(setImmediate);
  });
});
