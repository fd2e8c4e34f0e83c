import { type Blobs, needsBlob, resolvePayload, storePayload } from '../blobs.ts';
import { failureOf, PermanentError, toWire } from '../errors.ts';
import type { Executor, Result } from '../executor.ts';
import type { WorkerSpans } from '../worker-options.ts';
import type { Finish, HeldAttempt } from './held-attempt.ts';

const STOPPED: Result = { kind: 'stopped', output: null };

export interface RunOwner {
  /** The executor has ended; its output may still be stored as a blob. */
  vacate(held: HeldAttempt): void;
  /** Not called if the result is not needed any more. */
  ended(held: HeldAttempt, finish: Finish): void;
}

/**
 * Runs an accepted attempt to its end and passes the result to its owner. Never throws: every error is a failure
 * of the attempt. Awaits only once if no blob is transferred, because each further await slows every attempt.
 */
export async function runAttempt(params: {
  held: HeldAttempt;
  executor: Executor;
  blobs: Blobs | undefined;
  owner: RunOwner;
  spans: WorkerSpans | undefined;
}): Promise<void> {
  const { held, blobs, owner } = params;
  const span = params.spans?.begin(held.assign) ?? null;
  if (span !== null) held.assign.trace = span.trace;
  const startedAt = performance.now();
  let result: Result;
  try {
    if (hasReferences(held)) await resolvePayloads(held, blobs);
    if (held.isAborted) result = STOPPED;
    else {
      held.life.tryTo('executing');
      result = checked(await params.executor.run(held));
    }
  } catch (error) {
    result = failureOf(error);
  }
  const durationMs = performance.now() - startedAt;
  span?.end(result);
  owner.vacate(held);
  if (held.isOver) return;
  // A failure after the signal counts as stopped; a success after the signal remains a success.
  if (result.kind === 'failed' && held.isAborted) result = STOPPED;
  else if (result.output !== null && needsBlob(result.output)) {
    result = await storeOutput({ held, result, output: result.output, blobs });
  }
  const { output } = result;
  const wire = toWire(result, durationMs);
  owner.ended(held, { kind: 'finish', ref: held.ref, result: wire, output });
}

/** An executor of a user may be untyped; anything that is not a result fails its attempt. */
function checked(result: Result): Result {
  const { kind, output } = (result ?? {}) as Partial<Result>;
  const isResult = kind === 'succeeded' || kind === 'failed' || kind === 'stopped';
  if (isResult && (output === null || output instanceof Uint8Array)) return result;
  if (isResult && output === undefined) return { ...result, output: null };
  throw new PermanentError(
    'the executor did not return a result: an object with kind succeeded, failed or stopped',
  );
}

function hasReferences({ input, checkpoint, parents }: HeldAttempt): boolean {
  return (
    (input !== null && needsBlob(input)) ||
    (checkpoint !== null && needsBlob(checkpoint)) ||
    (parents !== null && needsBlob(parents))
  );
}

async function resolvePayloads(held: HeldAttempt, blobs: Blobs | undefined): Promise<void> {
  const { tenant } = held.assign;
  const { input, checkpoint, parents } = held;
  if (parents !== null) held.parents = await resolvePayload({ blobs, tenant, payload: parents });
  if (input !== null) held.input = await resolvePayload({ blobs, tenant, payload: input });
  if (checkpoint === null) return;
  // If a checkpoint cannot be read, the task starts from the beginning (WRK-06).
  const resolved = resolvePayload({ blobs, tenant, payload: checkpoint });
  held.checkpoint = await resolved.catch(() => null);
}

/** Replaces the output of the result with a reference to a blob. */
async function storeOutput(params: {
  held: HeldAttempt;
  result: Result;
  output: Uint8Array;
  blobs: Blobs | undefined;
}): Promise<Result> {
  const { held, result, output: payload, blobs } = params;
  const { tenant } = held.assign;
  try {
    const output = await storePayload({ blobs, tenant, payload, signal: held.signal });
    return { ...result, output };
  } catch (error) {
    return held.isAborted ? STOPPED : failureOf(error);
  }
}
