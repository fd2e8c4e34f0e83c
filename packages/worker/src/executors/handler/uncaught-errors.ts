import { inspect } from 'node:util';
import { attemptScope } from './attempt-scope.ts';

let isInstalled = false;

/**
 * From here on, an error that a timer or callback of a handler throws fails the attempt of that handler, instead of
 * ending the process with every other attempt in it. Once per process: with a listener for each worker, the first
 * listener would mistake the others for the user's.
 */
export function catchUncaughtErrors(): void {
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

/** The error belongs to no attempt. If this is the only listener, the process ends as Node.js ends it by default. */
function asWithoutListener(error: unknown): void {
  if (process.listenerCount('uncaughtException') > 1) return;
  process.off('uncaughtException', onUncaught);
  process.nextTick(() => {
    throw error;
  });
}
