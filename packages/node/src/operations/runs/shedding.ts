import type { Class } from '@signalbox/engine';
import { ApiError, type NodeContext } from '../../context/index.ts';

/** Commands that wait to be decided, or their bytes, and the maximum. */
export interface Load {
  readonly waiting: number;
  readonly waitingMax: number;
}

/** The share of the mailbox above which a priority is refused; P0 only by the maximum itself. */
const SHARE_MAX: Readonly<Record<Class, number>> = { 0: 1, 1: 0.9, 2: 0.5 };
const RETRY_AFTER_SECONDS: Readonly<Record<Class, number>> = { 0: 1, 1: 2, 2: 5 };

/** Seconds after which to retry, or null to accept; the least urgent priority is refused first (API-11). */
export function retryAfter(load: Load, priority: Class): number | null {
  const isFree = load.waiting < load.waitingMax * SHARE_MAX[priority];
  return isFree ? null : RETRY_AFTER_SECONDS[priority];
}

/** Throws `overloaded`, before a submission reaches the loop. */
export function shed(context: NodeContext, priority: Class): void {
  const { waiting, waitingBytes, settings } = context.loop;
  const seconds =
    retryAfter({ waiting, waitingMax: settings.mailboxMax }, priority) ??
    retryAfter({ waiting: waitingBytes, waitingMax: settings.mailboxBytesMax }, priority);
  if (seconds === null) return;
  throw new ApiError(
    'overloaded',
    `the node is overloaded and accepts no more submissions of P${priority}; retry later`,
    {
      retryAfterSeconds: seconds,
    },
  );
}
