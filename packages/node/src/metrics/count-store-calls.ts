import type { Store } from '@signalbox/store';

/**
 * The same store, with every call counted by its name: what an idle node asks of a database that
 * many share is a figure to watch. One count per call, and a call is a round trip: the cost is nothing.
 */
export function countStoreCalls(store: Store, called: (method: string) => void): Store {
  const counted = Object.create(store) as Record<string, unknown>;
  for (const method of Object.keys(store) as (keyof Store)[]) {
    const original = store[method] as (...values: unknown[]) => unknown;
    if (typeof original !== 'function') continue;
    counted[method] = (...values: unknown[]): unknown => {
      called(method);
      return original.apply(store, values);
    };
  }
  return counted as unknown as Store;
}
