import { causesOf, failureOf } from '../../errors.ts';
import type { AttemptContext, Result } from '../../executor.ts';
import { AttemptHandlerContext } from './attempt-handler-context.ts';
import { type AttemptScope, attemptScope } from './attempt-scope.ts';
import type { Handler } from './handler.ts';
import { decodePayload, encodePayload } from './json-payload.ts';
import { catchUncaughtErrors } from './uncaught-errors.ts';

const THIS_FILE = new URL(import.meta.url).pathname;

/**
 * Calls the handler with its context; the same in process and in a thread or process of its own. Where the handler
 * is alone, an uncaught error ends only its thread or process, with the exit code that the attempt shows. In the
 * worker's process an uncaught error in a timer or callback of the handler fails the attempt.
 *
 * Not an async function: the promise here settles from the handler's promise or from an uncaught error, whichever
 * comes first, and every further promise costs each short attempt about a tenth of its processor time.
 */
export function runHandler(
  handler: Handler,
  attempt: AttemptContext,
  { isAlone = false }: { isAlone?: boolean } = {},
): Promise<Result> {
  return new Promise((resolve) => {
    const context = new AttemptHandlerContext(attempt);
    let hasResult = false;
    const end = (result: Result): void => {
      hasResult = true;
      scope.fail = null;
      // The state requested when the signal fired must be sent before the result.
      const offered = AttemptHandlerContext.offeredOf(context);
      if (offered === null) resolve(result);
      else void offered.stop().then(() => resolve(result));
    };
    const succeed = (value: unknown): void => {
      if (!hasResult) end(resultOf(value, attempt));
    };
    const fail = (error: unknown): void => {
      if (!hasResult) end(failed(error, attempt));
    };
    const scope: AttemptScope = { attempt, fail: null };
    try {
      const input = attempt.input === null ? undefined : decodePayload(attempt.input);
      const returned = isAlone
        ? handler(input as never, context)
        : inScope(scope, () => handler(input as never, context));
      if (!isThenable(returned)) return succeed(returned);
      scope.fail = fail;
      // A thenable may call back twice or throw, and an uncaught error may come first: the first result counts.
      returned.then(succeed, fail);
    } catch (error) {
      fail(error);
    }
  });
}

function inScope(scope: AttemptScope, call: () => unknown): unknown {
  catchUncaughtErrors();
  return attemptScope.run(scope, call);
}

function resultOf(value: unknown, attempt: AttemptContext): Result {
  try {
    const output = value === undefined ? null : encodePayload(value, 'output');
    return { kind: 'succeeded', output };
  } catch (error) {
    return failed(error, attempt);
  }
}

/** Logs the stack, because the result has room for one line only; not if the attempt was asked to stop. */
function failed(error: unknown, attempt: AttemptContext): Result {
  if (error instanceof Error && error.stack !== undefined && !attempt.signal.aborted) {
    // A stack does not include the causes of its error.
    const stacks = [error, ...causesOf(error)].map(({ stack, message }) =>
      ownFrames(stack ?? message),
    );
    attempt.log('stderr', stacks.join('\ncaused by '));
  }
  return failureOf(error);
}

/** Down to where the handler was called: the frames below are the worker's, and no help to its author. */
function ownFrames(stack: string): string {
  const lines = stack.split('\n');
  const below = lines.findIndex((line) => /^\s+at /.test(line) && line.includes(THIS_FILE));
  return below < 0 ? stack : lines.slice(0, below).join('\n');
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof (value as { then?: unknown }).then === 'function'
  );
}
