import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiWorld } from './testing/api-world.ts';

let world: ApiWorld;
beforeAll(async () => {
  world = await ApiWorld.start();
});
afterAll(() => world.stop());

describe('the bytes of a payload', () => {
  it.each(['bytes=0-3', 'bytes=9999-', 'bytes=-2'])(
    'are answered whole, whatever Range asks for: %s',
    async (range) => {
      const put = await world.ask('/blobs', { method: 'PUT', raw: 'all of it' });
      const { name } = put.json<{ name: string }>();
      const answer = await world.ask(`/blobs/${name}`, { headers: { range } });
      expect([answer.status, answer.text]).toEqual([200, 'all of it']);
      expect(answer.headers.get('content-range')).toBeNull();
    },
  );
});

describe('a tenant that nothing is set for', () => {
  it('is answered with 404, which says what that means', async () => {
    const answer = await world.ask('/tenants/default');
    expect(answer.status).toBe(404);
    expect(answer.json<{ error: { message: string } }>().error.message).toContain(
      'its weight is one',
    );
  });
});
