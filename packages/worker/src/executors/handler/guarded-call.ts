import { AsyncLocalStorage } from 'node:async_hooks';
import { inspect } from 'node:util';
import type { AttemptContext } from '../executor.ts';

interface Guard {
  /** For the log, if it throws when nobody waits for it any more. */
  readonly attempt: Pick<AttemptContext, 'assign'>;
  /** Null before the handler has returned its promise, and once that has settled. */
  fail: ((error: unknown) => void) | null;
}

const guards = new AsyncLocalStorage<Guard>();
let isInstalled = false;

/**
 * Calls a handler in such a way that an error which one of its timers or callbacks throws is its own: it rejects
 * here, and does not end the process with everything else that runs there.
 */
export async function guardedCall(
  attempt: Pick<AttemptContext, 'assign'>,
  call: () => unknown,
): Promise<unknown> {
  install();
  const guard: Guard = { attempt, fail: null };
  const returned = guards.run(guard, call);
  if (!isThenable(returned)) return returned;
  try {
    return await new Promise((resolve, reject) => {
      guard.fail = reject;
      returned.then(resolve, reject);
    });
  } finally {
    guard.fail = null;
  }
}

/** Once for the process: with a listener for each worker the first would take the others for the user's. */
function install(): void {
  if (isInstalled) return;
  isInstalled = true;
  process.on('uncaughtException', onUncaught);
}

function onUncaught(error: unknown): void {
  const guard = guards.getStore();
  if (guard === undefined) return asWithoutListener(error);
  if (guard.fail !== null) return guard.fail(error);
  const { id } = guard.attempt.assign;
  process.stderr.write(`attempt ${id} threw an error after its end: ${inspect(error)}\n`);
}

/** Nobody knows whose it is. Where this is the only listener, the process ends as Node.js ends it by itself. */
function asWithoutListener(error: unknown): void {
  if (process.listenerCount('uncaughtException') > 1) return;
  process.off('uncaughtException', onUncaught);
  process.nextTick(() => {
    throw error;
  });
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof (value as { then?: unknown }).then === 'function'
  );
}
