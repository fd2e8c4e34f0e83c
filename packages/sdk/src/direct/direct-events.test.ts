import type { Feed, FeedEvent } from '@signalbox/node/context';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { directEvents } from './direct-events.ts';

afterEach(() => {
  vi.useRealTimers();
});

const RUN = '01977420-dc00-7000-8000-000000000001';

function watched(hasEnded: () => Promise<boolean>) {
  let tell: (event: FeedEvent) => void = () => {};
  const stop = vi.fn();
  const feed: Feed = {
    watch: (_filter, listener) => {
      tell = listener;
      return stop;
    },
    ended: async () => {},
  };
  const { signal } = new AbortController();
  const filter = { run: RUN };
  const events = directEvents({ feed, tenant: 'acme', filter, hasEnded, signal });
  return { events, stop, tell: (event: FeedEvent) => tell(event) };
}

describe('the events of one run', () => {
  it('end with the run also where another node owns it by then, and nobody here is told', async () => {
    vi.useFakeTimers();
    let isOver = false;
    const { events, stop } = watched(async () => isOver);
    const next = events.next();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(stop).not.toHaveBeenCalled();
    isOver = true;
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await next).toEqual({ done: true, value: undefined });
    expect(stop).toHaveBeenCalledTimes(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('go on while the run is between two owners, and nobody can tell how it is', async () => {
    vi.useFakeTimers();
    const asked = vi.fn(async () => false);
    const { events, tell } = watched(asked);
    const next = events.next();
    await vi.advanceTimersByTimeAsync(10);
    asked.mockRejectedValueOnce(new Error('not_owner'));
    await vi.advanceTimersByTimeAsync(5_000);
    expect(asked.mock.calls.length).toBeGreaterThan(2);
    const run = { ms: 1_750_000_000_000, partition: 0, seq: 1 };
    tell({ kind: 'runEnded', at: run.ms, job: 'mail', tenant: 'acme', run } as FeedEvent);
    expect(await next).toMatchObject({ done: false, value: { kind: 'runEnded', job: 'mail' } });
    await events.return(undefined);
    expect(vi.getTimerCount()).toBe(0);
  });
});
