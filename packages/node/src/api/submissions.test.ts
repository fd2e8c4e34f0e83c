import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ApiWorld } from './testing/api-world.ts';

let world: ApiWorld;
beforeAll(async () => {
  world = await ApiWorld.start();
  await world.ask('/jobs', { body: { name: 'hello', definition: {} } });
});
afterAll(() => world.stop());

const submit = (body: object, headers: Record<string, string> = {}) =>
  world.ask('/runs', { body: { job: 'hello', ...body }, headers });

describe('submissions over HTTP', () => {
  it('h33 the same key a thousand times at once is one run', async () => {
    const answers = await Promise.all(
      Array.from({ length: 1_000 }, () => submit({}, { 'idempotency-key': 'order-1' })),
    );
    expect(answers.filter((answer) => answer.status === 201)).toHaveLength(1);
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(999);
    expect(new Set(answers.map((answer) => answer.json<{ id: string }>().id)).size).toBe(1);
    const runs = (await world.ask('/runs?limit=10')).json<{ items: unknown[] }>();
    expect(runs.items).toHaveLength(1);
  });

  it('names the submission of a batch whose job is not there', async () => {
    const items = [{ job: 'hello' }, { job: 'hallo' }];
    const answer = await world.ask('/runs/batch', { body: { items } });
    expect(answer.status).toBe(404);
    expect(answer.error()).toMatchObject({
      code: 'not_found',
      message: 'there is no job "hallo"',
      field: 'items[1].job',
    });
    const single = await submit({ job: 'hallo' });
    expect(single.error()).toMatchObject({ code: 'not_found', field: 'job' });
  });

  it('answers 503 while the store is away, and says nothing of where it is', async () => {
    const { loop } = world.node.context;
    const refused = { kind: 'refused', code: 'unavailable', message: 'the store is away' } as const;
    const execute = vi.spyOn(loop, 'execute').mockResolvedValue(refused);
    const all = vi
      .spyOn(loop, 'executeAll')
      .mockImplementation(async (commands) => commands.map(() => refused));
    const answer = await submit({});
    execute.mockRestore();
    all.mockRestore();
    expect(answer.status).toBe(503);
    expect(answer.error().code).toBe('unavailable');
  });

  it('carries the trace of the client on', async () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const { id } = (await submit({}, { traceparent })).json<{ id: string }>();
    const { store } = world.node.context;
    const runs = await store.listRuns({ tenant: 'default', before: null, limit: 5 });
    expect(JSON.stringify(runs.map((one) => one.run.head))).toContain(traceparent);
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
  });
});
