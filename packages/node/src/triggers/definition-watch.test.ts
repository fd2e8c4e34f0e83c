import type { Store } from '@signalbox/store';
import { createMemoryStore } from '@signalbox/store/memory';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DefinitionWatch } from './definition-watch.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function watched() {
  const store = createMemoryStore({ now: () => Date.now() });
  const looks = vi.spyOn(store as Store, 'listDefinitionChanges');
  const others = { isAlone: true };
  const seen: string[] = [];
  const watch = new DefinitionWatch({
    store,
    kind: 'trigger',
    isAlone: () => others.isAlone,
    log: pino({ level: 'silent' }),
    index: { adopt: ({ name }) => seen.push(name) > 0 },
    changed: () => {},
  });
  return { store, looks, others, seen, watch };
}

describe('the watch over definitions', () => {
  it('asks seldom where no other node could write, and every second where one could', async () => {
    const { looks, others, watch } = watched();
    watch.start(1_000);
    await vi.advanceTimersByTimeAsync(110_000);
    expect(looks).toHaveBeenCalledTimes(2);
    others.isAlone = false;
    await vi.advanceTimersByTimeAsync(10_000);
    expect(looks).toHaveBeenCalledTimes(12);
    watch.stop();
  });

  it('knows afresh what had been saved when it was asked, and shares a look among all who ask', async () => {
    const { store, looks, seen, watch } = watched();
    watch.start(3_600_000);
    const early = watch.pollNow();
    const change = { tenant: 'acme', kind: 'trigger', body: '{}', author: 'ann' };
    await store.putDefinition({ ...change, name: 'late', expectedVersion: 0 });
    // The look that is under way may have read already.
    await Promise.all(Array.from({ length: 50 }, () => watch.pollNow()));
    expect(seen).toContain('late');
    await early;
    expect(looks).toHaveBeenCalledTimes(2);
    watch.stop();
  });

  it('is always fresh where nobody else can write', async () => {
    const { looks, watch } = watched();
    await watch.pollNow();
    expect(looks).not.toHaveBeenCalled();
  });
});
