import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiWorld } from './testing/api-world.ts';

let world: ApiWorld;
beforeAll(async () => {
  world = await ApiWorld.start();
  await world.ask('/jobs', { body: { name: 'nightly', definition: {} } });
});
afterAll(() => world.stop());

describe('an idempotency key', () => {
  const inHeader = (key: string) =>
    world.ask('/runs', { body: { job: 'nightly' }, headers: { 'idempotency-key': key } });
  const inBody = (idempotencyKey: string) =>
    world.ask('/runs', { body: { job: 'nightly', idempotencyKey } });
  const ofBatch = (key: string) =>
    world.ask('/runs/batch', {
      body: { items: [{ job: 'nightly' }] },
      headers: { 'idempotency-key': key },
    });

  it.each(['order 42', 'käse', 'a\u00a0b', 'x'.repeat(257)])(
    'is visible ASCII in a header and in a body: %j',
    async (key) => {
      const answers = await Promise.all([inHeader(key), inBody(key), ofBatch(key)]);
      for (const answer of answers) {
        expect(answer.status).toBe(422);
        expect(answer.error()).toMatchObject({
          code: 'invalid',
          field: 'idempotencyKey',
          message: 'an idempotency key must have 1 to 256 visible ASCII characters, without spaces',
        });
      }
    },
  );

  it('in a body has no control characters and is not empty', async () => {
    for (const key of ['', 'a\tb', 'a\u001b[31m', '\u0001x']) {
      expect((await inBody(key)).error().field).toBe('idempotencyKey');
    }
  });

  it('is the same in a header as in a body', async () => {
    const key = `order-42:${'!~'.repeat(10)}`;
    const first = (await inHeader(key)).json<{ id: string }>();
    expect((await inBody(key)).json()).toMatchObject({ id: first.id, created: false });
  });
});

describe('labels', () => {
  const define = (labels: Record<string, string>) =>
    world.ask('/jobs', { body: { name: 'labelled', definition: { labels } } });
  const defineTask = (labels: Record<string, string>) =>
    world.ask('/jobs', {
      body: { name: 'labelled', definition: { tasks: [{ workerLabels: labels }] } },
    });

  it.each([
    ['too many', Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`k${i}`, 'v']))],
    ['a long name', { ['n'.repeat(129)]: 'v' }],
    ['an empty name', { '': 'v' }],
    ['a long value', { name: 'v'.repeat(257) }],
    ['an escape sequence in a name', { 'a\u001b[2J': 'v' }],
    ['a newline in a name', { 'a\nb': 'v' }],
    ['an escape sequence in a value', { name: '\u001b]0;x\u0007' }],
    ['a C1 control in a value', { name: '\u009b31m' }],
  ])('are refused: %s', async (_what, labels) => {
    for (const send of [define, defineTask]) {
      const answer = await send(labels);
      expect(answer.status).toBe(422);
      expect(answer.error().field).toMatch(/labels/i);
    }
  });

  it('are kept up to their limits', async () => {
    const labels = { ['n'.repeat(128)]: 'ü'.repeat(256), empty: '' };
    expect((await define(labels)).status).toBeLessThan(300);
    expect((await defineTask(labels)).status).toBeLessThan(300);
  });
});

describe('a retry or a time-out', () => {
  it.each([
    ['backoff', { retry: { backoff: { type: 'fixed', delay: 0 } } }],
    ['backoff', { retry: { backoff: { type: 'fixed', delay: '0.4ms' } } }],
    ['backoff', { retry: { backoff: { type: 'exponential', delay: '1s', maxDelay: '0s' } } }],
    ['backoff', { retry: { backoff: ['1s', '0s'] } }],
    ['timeout', { timeout: '0s' }],
    ['progressTimeout', { progressTimeout: 0 }],
    ['timeout', { approval: { timeout: '0s' } }],
    ['timeout', { event: { type: 'x', timeout: '0s' } }],
  ])('is at least a millisecond: %s %j', async (field, task) => {
    const answer = await world.ask('/jobs', {
      body: { name: 'quick', definition: { tasks: [task] } },
    });
    expect(answer.status).toBe(422);
    expect(answer.error().field).toContain(field);
  });
});
