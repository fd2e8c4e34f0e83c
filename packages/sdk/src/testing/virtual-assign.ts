import crypto from 'node:crypto';
import {
  type Attempt,
  type AttemptRef,
  CLASSES,
  formatRunId,
  refOf,
  runWindow,
  taskName,
} from '@signalbox/engine';
import type { ResolvedInput } from '@signalbox/node/graph';
import { attemptId, decodeBlobRef, taskId } from '@signalbox/protocol';
import type { Assign } from '@signalbox/worker';

/** The assignment as a worker would get it from a gateway. */
export function assignOf(attempt: Attempt, { input, parents }: ResolvedInput): Assign {
  const { task } = attempt;
  const { run, spec } = task;
  const name = taskName(task);
  const window = runWindow(run.head);
  const id = formatRunId({ ms: run.ms, partition: run.partition, seq: run.seq });
  const { partition, seq, task: index, number, epoch, token } = refOf(attempt);
  const { hardMs, expectedMs, graceMs } = spec.timeouts;
  return {
    ref: [partition, seq, index, number, epoch, token],
    tenant: run.spec.tenant,
    job: run.spec.job,
    jobVersion: run.spec.version,
    run: id,
    task: name,
    id: attemptId(id, name, number),
    executor: attempt.shape.executor ?? `handler:${run.spec.job}`,
    work: null,
    request: attempt.shape.request,
    class: CLASSES[attempt.class],
    idempotencyKey: taskId(id, name),
    inputHash: hashOf(input),
    timeoutMs: hardMs ?? (expectedMs === null ? null : expectedMs * 3),
    graceMs,
    input: input?.slice() ?? null,
    checkpoint: task.checkpoint,
    ...(parents === null ? {} : { parents: parents.slice() }),
    ...(window === undefined ? {} : { window }),
  };
}

export function keyOf(ref: AttemptRef): string {
  const { partition, seq, task, number, epoch, token } = ref;
  return [partition, seq, task, number, epoch, token].join(':');
}

export function refFrom({ ref: [partition, seq, task, number, epoch, token] }: Assign): AttemptRef {
  return { partition, seq, task, number, epoch, token };
}

function hashOf(input: Uint8Array | null): string {
  if (input === null) return crypto.hash('sha256', '', 'hex');
  return decodeBlobRef(input)?.sha256 ?? crypto.hash('sha256', input, 'hex');
}
