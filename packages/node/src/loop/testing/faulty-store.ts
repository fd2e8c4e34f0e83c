import type { Store } from '@signalbox/store';

/** A store of which single methods are replaced, each with the real one at hand. */
export function faulty(store: Store, replace: (real: Store) => Partial<Store>): Store {
  const replaced = replace(store);
  return new Proxy(store, {
    get(target, name) {
      const method = (replaced as Record<string | symbol, unknown>)[name];
      if (method !== undefined) return method;
      const own = Reflect.get(target, name) as unknown;
      return typeof own === 'function' ? own.bind(target) : own;
    },
  });
}
