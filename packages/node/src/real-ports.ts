import type { Effect, Fact, Random } from '@signalbox/engine';
import type { LoopEvent, LoopPorts } from './loop/index.ts';

/** The loop's ports on the real world: this process's clock, timers and dice. */
export function realPorts(params: {
  release: (effects: readonly Effect[]) => void;
  published?: (partition: number, facts: readonly Fact[], seq: number) => void;
  follow?: NonNullable<LoopPorts['follow']>;
  renewPayload?: NonNullable<LoopPorts['renewPayload']>;
  observe?: (event: LoopEvent) => void;
}): LoopPorts {
  const random: Random = { next: () => Math.random() };
  return {
    monotonicMs: () => performance.now(),
    after: (ms, callback) => {
      const timer = setTimeout(callback, ms);
      return () => clearTimeout(timer);
    },
    defer: (callback) => void setImmediate(callback),
    random,
    release: params.release,
    ...(params.published === undefined ? {} : { published: params.published }),
    ...(params.follow === undefined ? {} : { follow: params.follow }),
    ...(params.renewPayload === undefined ? {} : { renewPayload: params.renewPayload }),
    ...(params.observe === undefined ? {} : { observe: params.observe }),
  };
}
