import { type Blobs, needsBlob, resolvePayload, storePayload } from '../blobs.ts';
import { failureOf, toWire } from '../errors.ts';
import type { Executor, Result } from '../executors/executor.ts';
import type { Finish, HeldAttempt } from './held-attempt.ts';

/**
 * Runs an accepted attempt to its end and answers what is to be said, or null where nobody waits
 * for it any more. Never throws: whatever goes wrong is the attempt's failure, not the worker's.
 */
export async function runAttempt(params: {
  held: HeldAttempt;
  executor: Executor;
  blobs: Blobs | undefined;
  /** What it ran is gone, its output may still be on its way. */
  vacate: () => void;
}): Promise<Finish | null> {
  const { held, executor, blobs } = params;
  const startedAt = performance.now();
  let result = await execute(held, executor, blobs);
  const durationMs = performance.now() - startedAt;
  params.vacate();
  if (held.finish !== null || held.life.state === 'forgotten') return null;
  // What fails after it was told to stop has stopped. What succeeds all the same has succeeded.
  if (held.signal.aborted && result.kind === 'failed') result = { kind: 'stopped', output: null };
  const wire = result;
  let output = wire.output;
  try {
    if (output !== null && needsBlob(output)) {
      const { tenant } = held.assign;
      output = await storePayload({ blobs, tenant, payload: output, signal: held.signal });
    }
  } catch (error) {
    output = null;
    result = held.signal.aborted ? { kind: 'stopped', output } : failureOf(error);
  }
  return { kind: 'finish', ref: held.ref, result: toWire(result, durationMs), output };
}

async function execute(
  held: HeldAttempt,
  executor: Executor,
  blobs: Blobs | undefined,
): Promise<Result> {
  try {
    const { tenant } = held.assign;
    if (held.input !== null && needsBlob(held.input)) {
      held.input = await resolvePayload({ blobs, tenant, payload: held.input });
    }
    if (held.checkpoint !== null && needsBlob(held.checkpoint)) {
      // A checkpoint that cannot be read costs time, not the task: it begins at the start (WRK-06).
      held.checkpoint = await resolvePayload({
        blobs,
        tenant,
        payload: held.checkpoint,
      }).catch(() => null);
    }
    if (held.signal.aborted) return { kind: 'stopped', output: null };
    held.life.tryTo('executing');
    return await executor.run(held);
  } catch (error) {
    return failureOf(error);
  }
}
