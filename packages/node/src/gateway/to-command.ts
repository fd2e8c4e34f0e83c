import { type AttemptResult, assertNever, type Command } from '@signalbox/engine';
import { type FromWorker, PAYLOAD_INLINE_MAX, type WireResult } from '@signalbox/protocol';
import { fromWire } from './wire-ref.ts';

export type AboutAttempt = FromWorker & {
  kind: 'beat' | 'refuse' | 'finish' | 'checkpoint' | 'extend';
};

/** The command of a frame, always under the name of the worker that the session belongs to. */
export function toCommand(worker: string, frame: AboutAttempt): Command {
  switch (frame.kind) {
    case 'beat': {
      const progress = frame.progress.map(({ ref, value }) => ({ ref: fromWire(ref), value }));
      return { kind: 'beat', worker, foreignUse: frame.foreignUse, progress };
    }
    case 'refuse':
      return { kind: 'refuse', worker, ref: fromWire(frame.ref), foreignUse: frame.foreignUse };
    case 'finish':
      return { kind: 'finish', worker, ref: fromWire(frame.ref), result: resultOf(frame) };
    case 'checkpoint':
      return { kind: 'checkpoint', worker, ref: fromWire(frame.ref), state: frame.state };
    case 'extend':
      return { kind: 'extend', worker, ref: fromWire(frame.ref), byMs: frame.byMs };
    default:
      return assertNever(frame);
  }
}

function resultOf({ result, output }: FromWorker & { kind: 'finish' }): AttemptResult {
  switch (result.kind) {
    case 'succeeded':
      // Repeated it would be as large again: it ends the attempt, or the worker would never be rid of it.
      if (output !== null && output.length > PAYLOAD_INLINE_MAX) {
        return { kind: 'failed', error: TOO_LARGE, class: 'permanent' };
      }
      return { kind: 'succeeded', output };
    case 'failed':
      return failureOf(result);
    case 'stopped':
      return { kind: 'stopped' };
    default:
      return assertNever(result);
  }
}

const TOO_LARGE = `the output exceeds ${PAYLOAD_INLINE_MAX} bytes and is not in the blob store`;

function failureOf(result: WireResult & { kind: 'failed' }): AttemptResult {
  return {
    kind: 'failed',
    error: result.error,
    ...(result.class === undefined ? {} : { class: result.class }),
    ...(result.exitCode === undefined ? {} : { exitCode: result.exitCode }),
    ...(result.retryAfterMs === undefined ? {} : { retryAfterMs: result.retryAfterMs }),
  };
}
