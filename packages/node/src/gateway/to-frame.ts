import { assertNever, type ToWorker } from '@signalbox/engine';
import type { FromNode } from '@signalbox/protocol';
import { toWire } from './wire-ref.ts';

/** The frame for the worker. Times are relative to now: the clocks of the two sides are not compared (LIV-05). */
export function toFrame(
  effect: Exclude<ToWorker, { kind: 'assign' | 'confirm' | 'stale' }>,
  now: number,
): FromNode {
  switch (effect.kind) {
    case 'abort':
      return { kind: 'abort', ref: toWire(effect.ref), graceMs: effect.graceMs, why: effect.why };
    case 'extended': {
      const timeoutMs = effect.hardAt === 0 ? null : Math.max(0, effect.hardAt - now);
      return { kind: 'extended', ref: toWire(effect.ref), granted: effect.granted, timeoutMs };
    }
    case 'probe': {
      const { adopted } = effect;
      return adopted === undefined
        ? { kind: 'probe' }
        : { kind: 'probe', adopted: adopted.map(toWire) };
    }
    case 'restate':
    case 'drained':
      return { kind: effect.kind };
    default:
      return assertNever(effect);
  }
}
