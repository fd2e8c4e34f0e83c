import type { Store } from '@signalbox/store';
import { createMemoryStore } from '@signalbox/store/memory';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { CommitLoop } from '../loop/index.ts';
import type { TriggerBook } from './trigger-book.ts';
import { TriggerWatch } from './trigger-watch.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('the watch over triggers', () => {
  it('asks seldom where no other node could write, and every second where one could', async () => {
    const store = createMemoryStore({ now: () => Date.now() });
    const looks = vi.spyOn(store as Store, 'listDefinitionChanges');
    const leases = { isAlone: true };
    const watch = new TriggerWatch({
      store,
      loop: () => ({ leases, follow: () => {} }) as unknown as CommitLoop,
      log: pino({ level: 'silent' }),
      book: { adopt: () => false } as unknown as TriggerBook,
    });
    watch.start(1_000);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(looks).toHaveBeenCalledTimes(2);
    leases.isAlone = false;
    await vi.advanceTimersByTimeAsync(10_000);
    expect(looks).toHaveBeenCalledTimes(12);
    watch.stop();
  });
});
