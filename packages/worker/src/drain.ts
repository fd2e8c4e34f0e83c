import type { Attempts } from './attempt/attempts.ts';
import type { Link } from './link/link.ts';
import { LongTimer } from './long-timer.ts';

/** After the grace period, attempts have this long to save their state. */
const SAVE_MS = 5_000;
/** Then the last results have this long to be confirmed; the others run again on another worker. */
const CONFIRM_MS = 5_000;

/** Ends all attempts of a worker that refuses new ones. */
export async function drainWorker(params: {
  graceMs: number;
  attempts: Attempts;
  links: readonly Link[];
  /** Resolves when an attempt has ended or a result was confirmed. */
  changed: () => Promise<void>;
}): Promise<void> {
  const { attempts, links, graceMs, changed } = params;
  for (const link of links) link.send({ kind: 'drain' });
  await until(() => attempts.running === 0, { withinMs: graceMs, changed });
  for (const held of attempts.all()) {
    if (held.finish !== null) continue;
    const saveMs = Math.min(held.assign.graceMs, SAVE_MS);
    held.stop({ why: 'drained', signalMs: 0, graceMs: saveMs });
  }
  // All of them have ended by then, because `overdue` ends them after the grace period.
  await until(() => attempts.running === 0, { withinMs: SAVE_MS + 1_000, changed });
  const isConfirmed = () => attempts.size === 0 || !links.some((link) => link.welcomed);
  await until(isConfirmed, { withinMs: CONFIRM_MS, changed });
  for (const link of links) link.send({ kind: 'bye' });
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
