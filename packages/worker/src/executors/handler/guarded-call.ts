import { inspect } from 'node:util';
import type { AttemptContext } from '../executor.ts';
import { type AttemptScope, attemptScope } from './attempt-scope.ts';

let isInstalled = false;

/**
 * Calls a handler in such a way that an error which one of its timers or callbacks throws is its own: it rejects
 * here, and does not end the process with everything else that runs there.
 */
export function guardedCall(attempt: AttemptContext, call: () => unknown): unknown {
  install();
  const scope: AttemptScope = { attempt, fail: null };
  const returned = attemptScope.run(scope, call);
  if (!isThenable(returned)) return returned;
  // Not an async function: each promise on the way is paid for by every attempt.
  return new Promise((resolve, reject) => {
    scope.fail = reject;
    returned.then(
      (value) => {
        scope.fail = null;
        resolve(value);
      },
      (error: unknown) => {
        scope.fail = null;
        reject(error);
      },
    );
  });
}

/** Once for the process: with a listener for each worker the first would take the others for the user's. */
function install(): void {
  if (isInstalled) return;
  isInstalled = true;
  process.on('uncaughtException', onUncaught);
}

function onUncaught(error: unknown): void {
  const scope = attemptScope.getStore();
  if (scope === undefined) return asWithoutListener(error);
  if (scope.fail !== null) return scope.fail(error);
  const { id } = scope.attempt.assign;
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
