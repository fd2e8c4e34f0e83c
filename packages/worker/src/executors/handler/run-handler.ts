import { causesOf, failureOf } from '../../errors.ts';
import type { AttemptContext, Result } from '../executor.ts';
import { AttemptHandlerContext } from './attempt-handler-context.ts';
import { guardedCall } from './guarded-call.ts';
import type { Handler } from './handler.ts';
import { decodePayload, encodePayload } from './json-payload.ts';

const THIS_FILE = new URL(import.meta.url).pathname;

/**
 * Calls the handler with its context; the same in process and in a thread or process of its own. Where it is alone,
 * an error that nobody catches ends just that, with the exit code that the attempt shows.
 */
export async function runHandler(
  handler: Handler,
  attempt: AttemptContext,
  { isAlone = false }: { isAlone?: boolean } = {},
): Promise<Result> {
  const context = new AttemptHandlerContext(attempt);
  try {
    const input = attempt.input === null ? undefined : decodePayload(attempt.input);
    const call = () => handler(input as never, context);
    const value = await (isAlone ? call() : guardedCall(attempt, call));
    const output = value === undefined ? null : encodePayload(value, 'output');
    return { kind: 'succeeded', output };
  } catch (error) {
    // The result carries one line; where it was thrown is what its author looks for. Not where it
    // was told to stop: then the throw is the answer to that.
    if (error instanceof Error && error.stack !== undefined && !attempt.signal.aborted) {
      // A stack does not tell what caused its error, which is often all that matters.
      const stacks = [error, ...causesOf(error)].map(({ stack, message }) =>
        ownFrames(stack ?? message),
      );
      attempt.log('stderr', stacks.join('\ncaused by '));
    }
    return failureOf(error);
  } finally {
    // The state that was asked for when the signal fired must be on its way before the end is.
    const offered = AttemptHandlerContext.offeredOf(context);
    if (offered !== null) await offered.stop();
  }
}

/** Down to where the handler was called: the frames below are the worker's, and no help to its author. */
function ownFrames(stack: string): string {
  const lines = stack.split('\n');
  const below = lines.findIndex((line) => /^\s+at /.test(line) && line.includes(THIS_FILE));
  return below < 0 ? stack : lines.slice(0, below).join('\n');
}
