import type { Attempts } from './attempt/attempts.ts';
import type { Link } from './link/link.ts';
import { LongTimer } from './long-timer.ts';

/** Behind its own grace the worker waits this long for attempts to save what they have. */
const SAVE_MS = 5_000;
/** And this long for the last results to be confirmed; what is not is run again elsewhere. */
const CONFIRM_MS = 5_000;

/** Empties a worker that takes nothing new any more. */
export async function drainWorker(params: {
  graceMs: number;
  attempts: Attempts;
  links: readonly Link[];
  /** Resolves when an attempt has ended or a result was confirmed. */
  changed: () => Promise<void>;
}): Promise<void> {
  const { attempts, links, graceMs, changed } = params;
  for (const link of links) link.say({ kind: 'drain' });
  await until(() => attempts.running === 0, { withinMs: graceMs, changed });
  for (const held of attempts.all()) {
    if (held.finish !== null) continue;
    const saveMs = Math.min(held.assign.graceMs, SAVE_MS);
    held.stop({ why: 'drained', signalMs: 0, graceMs: saveMs });
  }
  // Every one of them has ended by then: the force behind the grace sees to it.
  await until(() => attempts.running === 0, { withinMs: SAVE_MS + 1_000, changed });
  const isHeard = () => attempts.size === 0 || !links.some((link) => link.welcomed);
  await until(isHeard, { withinMs: CONFIRM_MS, changed });
  for (const link of links) link.say({ kind: 'bye' });
}

async function until(
  isDone: () => boolean,
  params: { withinMs: number; changed: () => Promise<void> },
): Promise<void> {
  let isOver = false;
  const over = Promise.withResolvers<void>();
  const timer = new LongTimer(() => {
    isOver = true;
    over.resolve();
  }, params.withinMs);
  while (!isDone() && !isOver) await Promise.race([params.changed(), over.promise]);
  timer.cancel();
}
