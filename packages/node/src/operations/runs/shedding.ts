import type { Class } from '@signalbox/engine';
import type { NodeContext } from '../../context/node-context.ts';
import { ApiError } from '../../errors/api-error.ts';

/** How full the node is: commands that wait to be decided, or their bytes, of what it would take at most. */
export interface Load {
  readonly waiting: number;
  readonly waitingMax: number;
}

/** The share of the mailbox above which a class is sent away. P0 only meets the bound itself. */
const SHARE_MAX: Readonly<Record<Class, number>> = { 0: 1, 1: 0.9, 2: 0.5 };
const RETRY_AFTER_SECONDS: Readonly<Record<Class, number>> = { 0: 1, 1: 2, 2: 5 };

/** Seconds after which to come back, or null to come in: the least urgent goes first (API-11). */
export function sendAway(load: Load, klass: Class): number | null {
  return load.waiting < load.waitingMax * SHARE_MAX[klass] ? null : RETRY_AFTER_SECONDS[klass];
}

/** Called before a submission is handed to the loop. */
export function shed(context: NodeContext, klass: Class): void {
  const { waiting, waitingBytes, settings } = context.loop;
  const seconds =
    sendAway({ waiting, waitingMax: settings.mailboxMax }, klass) ??
    sendAway({ waiting: waitingBytes, waitingMax: settings.mailboxBytesMax }, klass);
  if (seconds === null) return;
  throw new ApiError(
    'overloaded',
    `the node is overloaded and accepts no more submissions of P${klass}; retry later`,
    {
      retryAfterSeconds: seconds,
    },
  );
}
