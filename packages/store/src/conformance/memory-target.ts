import { createMemoryStore } from '../memory/index.ts';
import type { ConformanceTarget } from './target.ts';

/**
 * A fixed beginning, so that a failure says the same numbers every time; in the past, so that a
 * differential run can move this clock up to that of a store with a real one.
 */
export const START_MS = 1_700_000_000_123;

export const memoryTarget: ConformanceTarget = {
  name: 'memory',
  create: async (options) => {
    let nowMs = START_MS;
    const store = createMemoryStore({ now: () => nowMs, ...options });
    return {
      store,
      snapshot: async () => store.snapshot(),
      setNow: (ms) => {
        nowMs = ms;
      },
      close: () => store.close(),
    };
  },
};
