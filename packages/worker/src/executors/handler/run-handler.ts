import { failureOf, PermanentError } from '../../errors.ts';
import type { AttemptContext, Result } from '../executor.ts';
import type { Handler, HandlerContext, HandlerLog } from './handler.ts';
import { OfferedState } from './offered-state.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true });

/** Calls the handler with its context; the same in process and in a thread or process of its own. */
export async function runHandler(handler: Handler, attempt: AttemptContext): Promise<Result> {
  const offered = new OfferedState(attempt);
  try {
    const context = contextOf(attempt, offered);
    const input = parse(attempt.input) as never;
    const output = encodeOutput(await handler(input, context));
    return { kind: 'succeeded', output };
  } catch (error) {
    // The result carries one line; where it was thrown is what its author looks for. Not where it
    // was told to stop: then the throw is the answer to that.
    if (error instanceof Error && error.stack !== undefined && !attempt.signal.aborted) {
      attempt.log('stderr', error.stack);
    }
    return failureOf(error);
  } finally {
    // The state that was asked for when the signal fired must be on its way before the end is.
    await offered.stop();
  }
}

function contextOf(attempt: AttemptContext, offered: OfferedState): HandlerContext {
  const { assign } = attempt;
  return {
    attemptId: assign.id,
    runId: assign.run,
    job: assign.job,
    jobVersion: assign.jobVersion,
    task: assign.task,
    tenant: assign.tenant,
    attempt: assign.ref[3],
    idempotencyKey: assign.idempotencyKey,
    inputHash: assign.inputHash,
    inputBytes: attempt.input,
    get deadline() {
      return attempt.deadline === null ? null : new Date(attempt.deadline);
    },
    signal: attempt.signal,
    trace: assign.trace,
    progress: (fraction) => attempt.progress(fraction),
    log: logOf(attempt),
    checkpoint: {
      load: <T>() => (attempt.checkpoint === null ? null : (parse(attempt.checkpoint) as T)),
      save: (value) => attempt.saveCheckpoint(encodeState(value)),
      offer: (state) => offered.offer(() => encodeState(state())),
    },
    extend: (ms) => attempt.extend(ms),
  };
}

function logOf(attempt: AttemptContext): HandlerLog {
  const at =
    (level: string) =>
    (message: string, fields: Readonly<Record<string, unknown>> = {}): void => {
      attempt.log('log', line({ level, message, ...fields }));
    };
  return { info: at('info'), warn: at('warn'), error: at('error') };
}

/** A field that has no JSON, as a cycle or a BigInt, must not fail the task that logs it. */
function line(entry: Readonly<Record<string, unknown>>): string {
  try {
    return JSON.stringify(entry);
  } catch {
    const { level, message } = entry;
    return JSON.stringify({ level, message: String(message), fields: 'not JSON' });
  }
}

/** The value where the bytes are JSON, else the bytes; a handler of bytes reads `inputBytes`. */
function parse(bytes: Uint8Array | null): unknown {
  if (bytes === null) return undefined;
  try {
    return JSON.parse(decoder.decode(bytes));
  } catch {
    return bytes;
  }
}

function encodeOutput(value: unknown): Uint8Array | null {
  if (value === undefined) return null;
  return encode(value, 'the output is not JSON');
}

function encodeState(value: unknown): Uint8Array {
  return encode(value ?? null, 'the checkpoint is not JSON');
}

function encode(value: unknown, complaint: string): Uint8Array {
  // A copy: the handler may use its buffer again while the result waits to be confirmed.
  if (value instanceof Uint8Array) return new Uint8Array(value);
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch (cause) {
    throw new PermanentError(complaint, { cause });
  }
  if (text === undefined) throw new PermanentError(complaint);
  return encoder.encode(text);
}
