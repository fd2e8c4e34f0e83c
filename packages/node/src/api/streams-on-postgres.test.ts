import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { createDatabase, describePostgres } from '../../../../tools/testing/postgres.ts';
import { API_BASE } from './base.ts';
import { ApiWorld } from './testing/api-world.ts';

async function openEvents({ url }: ApiWorld, key: string): Promise<IncomingMessage> {
  const headers = { authorization: `Bearer ${key}` };
  const asked = request(`${url}${API_BASE}/events`, { headers }).end();
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  return response.resume();
}

describePostgres('keys on three nodes over PostgreSQL', () => {
  it('SEC-01 a key that is revoked on one node loses its streams on all of them', async () => {
    const store = await createDatabase();
    const nodes = await Promise.all(
      Array.from({ length: 3 }, () => ApiWorld.start({ store, partitions: 6 })),
    );
    onTestFinished(async () => {
      await Promise.all(nodes.map((node) => node.stop()));
    });
    const [first, second, third] = nodes as [ApiWorld, ApiWorld, ApiWorld];
    const key = await first.makeKey('viewer', 'acme');
    // A flood of wrong keys on another node does not refuse a key that this node has not seen.
    for (let i = 0; i < 120; i++) await second.ask('/whoami', { key: `wrong-${i}` });
    expect((await second.ask('/whoami', { key: 'wrong' })).status).toBe(429);
    const streams = await Promise.all(nodes.map((node) => openEvents(node, key)));
    expect(streams.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200]);
    const over = Promise.all(streams.map((stream) => once(stream, 'end')));
    await third.ask(`/keys/${key.split('_')[1]}`, { method: 'DELETE', tenant: 'acme' });
    await over;
    const statuses = nodes.map(async (node) => (await node.ask('/events', { key })).status);
    // The node with the flood refuses every wrong key with 429.
    expect(await Promise.all(statuses)).toEqual([401, 429, 401]);
  }, 60_000);
});
