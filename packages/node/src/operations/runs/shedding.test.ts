import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ApiWorld } from '../../api/testing/api-world.ts';
import { ApiError, type NodeContext } from '../../context/index.ts';
import { type Load, retryAfter, shed } from './shedding.ts';

const load = (waiting: number): Load => ({ waiting, waitingMax: 1_000 });

describe('shedding', () => {
  it('API-11 takes everything while there is room', () => {
    for (const klass of [0, 1, 2] as const) expect(retryAfter(load(499), klass)).toBeNull();
  });

  it('API-11 sends P2 away first, then P1; P0 only when nothing fits', () => {
    expect([0, 1, 2].map((k) => retryAfter(load(500), k as 0) !== null)).toEqual([
      false,
      false,
      true,
    ]);
    expect([0, 1, 2].map((k) => retryAfter(load(900), k as 0) !== null)).toEqual([
      false,
      true,
      true,
    ]);
    expect([0, 1, 2].map((k) => retryAfter(load(999), k as 0) !== null)).toEqual([
      false,
      true,
      true,
    ]);
    expect([0, 1, 2].map((k) => retryAfter(load(1_000), k as 0) !== null)).toEqual([
      true,
      true,
      true,
    ]);
  });

  it('API-11 says when to come back, the less urgent later', () => {
    const waits = ([0, 1, 2] as const).map((k) => retryAfter(load(2_000), k) as number);
    expect(waits.every((wait) => Number.isInteger(wait) && wait > 0)).toBe(true);
    expect(waits).toEqual(waits.toSorted((a, b) => a - b));
  });

  it.each([
    ['commands', { waiting: 600, waitingBytes: 0 }],
    ['bytes', { waiting: 0, waitingBytes: 6_000 }],
  ])(
    'API-11 throws what becomes 429 with Retry-After, by the load of the loop in %s',
    (_, load) => {
      const loop = { ...load, settings: { mailboxMax: 1_000, mailboxBytesMax: 10_000 } };
      const context = { loop } as unknown as NodeContext;
      expect(() => shed(context, 0)).not.toThrow();
      expect(() => shed(context, 1)).not.toThrow();
      let thrown: unknown;
      try {
        shed(context, 2);
      } catch (error) {
        thrown = error;
      }
      expect(thrown).toBeInstanceOf(ApiError);
      expect(thrown).toMatchObject({ code: 'overloaded', retryAfterSeconds: 5 });
    },
  );
});

describe('shedding over HTTP', () => {
  let world: ApiWorld;
  beforeEach(async () => {
    world = await ApiWorld.start();
    await world.ask('/jobs', { body: { name: 'mail', definition: {} } });
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await world.stop();
  });
  const submit = async (priority: string) => {
    const answer = await world.ask('/runs', { body: { job: 'mail', priority } });
    return [answer.status, answer.headers.get('retry-after')];
  };

  it('API-11 F20 answers 429 with Retry-After, to P2 from half of the bound, to P1 from nine tenths', async () => {
    const { loop } = world.node.context;
    const { mailboxMax } = loop.settings;
    const expected = [
      [0.49, [201, null], [201, null], [201, null]],
      [0.5, [201, null], [201, null], [429, '5']],
      [0.89, [201, null], [201, null], [429, '5']],
      [0.9, [201, null], [429, '2'], [429, '5']],
      [1, [429, '1'], [429, '2'], [429, '5']],
    ] as const;
    for (const [share, ...answers] of expected) {
      vi.spyOn(loop, 'waiting', 'get').mockReturnValue(share * mailboxMax);
      for (const [priority, answer] of answers.entries()) {
        expect(await submit(`P${priority}`), `P${priority} at ${share}`).toEqual(answer);
      }
    }
  });
});
