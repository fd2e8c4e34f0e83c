import type { Effect } from '@signalbox/engine';
import { decodeFromNode, encodeFrames, type FromNode } from '@signalbox/protocol';
import type { Job } from './catalogue.ts';
import { task } from './graph-jobs.ts';
import { type Dice, pick } from './streams.ts';

const YEAR_MS = 31_536_000_000;

/** Numbers at and beyond the edges of every range, as a handler may compute them. */
const ODD = [
  0,
  -1,
  0.5,
  1_000_000_000,
  1_000_000_001,
  2 ** 31,
  YEAR_MS,
  2 ** 53,
  1e308,
  Number.NaN,
  Number.POSITIVE_INFINITY,
];

export function oddNumber(dice: Dice): number {
  return pick(dice, ODD);
}

/** Waits that a failed attempt asks for: none of them may keep its task waiting. */
export function oddDelay(dice: Dice): number {
  return pick(dice, [0, -1, 0.5, Number.NaN]);
}

/** Has as much time to stop as a definition may give, and is told to stop often. */
export function edgeJob(dice: Dice): Job {
  const graceMs = pick(dice, [1_000_000_000, 1_000_000_001, YEAR_MS]);
  return {
    name: 'edge',
    weight: 3,
    definition: {
      tasks: [task({ timeouts: { hardMs: 5_000, graceMs }, retry: { attemptsMax: 2 } })],
    },
    behaviour: { ms: [1_000, 12_000], progress: true, extends: true, transient: 0.2 },
  };
}

/** What the link makes of an order to a worker: a frame that cannot be read would end the connection. */
export function carried(effect: Effect, now: number): void {
  const frame = frameOf(effect, now);
  if (frame !== null) decodeFromNode(encodeFrames([frame]));
}

function frameOf(effect: Effect, now: number): FromNode | null {
  if (effect.kind !== 'abort' && effect.kind !== 'extended') return null;
  const { partition, seq, task: index, number, epoch, token } = effect.ref;
  const ref = [partition, seq, index, number, epoch, token] as const;
  if (effect.kind === 'abort') {
    return { kind: 'abort', ref, graceMs: effect.graceMs, why: effect.why };
  }
  const timeoutMs = effect.hardAt === 0 ? null : Math.max(0, effect.hardAt - now);
  return { kind: 'extended', ref, granted: effect.granted, timeoutMs };
}
