import { hash } from 'node:crypto';
import {
  type Attempt,
  CLASSES,
  formatRunId,
  type JobDefinition,
  refOf,
  type TaskSpec,
} from '@signalbox/engine';
import {
  attemptId,
  decodeBlobRef,
  type FromNode,
  MESSAGE_BYTES_MAX,
  taskId,
} from '@signalbox/protocol';
import type { CommitLoop } from '../loop/index.ts';
import { toWire } from './wire-ref.ts';

export type AssignFrame = FromNode & { kind: 'assign' };

/** Room in a message for what is neither payload nor work: names, ids, the request. */
const HEAD_BYTES = 16_384;

interface Work {
  readonly work: Readonly<Record<string, unknown>> | null;
  readonly bytes: number;
}

/** Derived once per task of a job version: it is the same in every assignment. */
const works = new WeakMap<TaskSpec, Work>();

/** The frame, or why the attempt cannot be sent and never will be. */
export function assignFrame(params: {
  attempt: Attempt;
  loop: CommitLoop;
  now: number;
}): AssignFrame | string {
  const { attempt, loop, now } = params;
  const { task } = attempt;
  const { run } = task;
  const { spec } = run;
  const executor = attempt.shape.executor ?? `handler:${spec.job}`;
  const known = workOf(loop, attempt, executor);
  if (known === null) return 'the definition of the job is not known to this node';
  const payload = (run.input?.length ?? 0) + (task.checkpoint?.length ?? 0);
  if (known.bytes + payload + HEAD_BYTES > MESSAGE_BYTES_MAX) {
    return `the assignment does not fit in a message of ${MESSAGE_BYTES_MAX} bytes`;
  }
  const id = formatRunId({ ms: run.ms, partition: run.partition, seq: run.seq });
  return {
    kind: 'assign',
    ref: toWire(refOf(attempt)),
    tenant: spec.tenant,
    job: spec.job,
    jobVersion: spec.version,
    run: id,
    task: task.spec.name,
    id: attemptId(id, task.spec.name, attempt.number),
    executor,
    work: known.work,
    request: attempt.shape.request,
    class: CLASSES[attempt.class],
    idempotencyKey: taskId(id, task.spec.name),
    inputHash: hashOf(run.input),
    timeoutMs: timeoutOf(loop, attempt, now),
    graceMs: task.spec.timeouts.graceMs,
    ...(run.head.trace === undefined ? {} : { trace: run.head.trace }),
    input: run.input,
    checkpoint: task.checkpoint,
  };
}

/** Of the payload itself, also where a reference travels in its place. */
function hashOf(input: Uint8Array | null): string {
  if (input === null) return EMPTY_HASH;
  return decodeBlobRef(input)?.sha256 ?? hash('sha256', input, 'hex');
}

const EMPTY_HASH = hash('sha256', '', 'hex');

/** The clock of an attempt starts when it is accepted; until then it has its whole time. */
function timeoutOf(loop: CommitLoop, attempt: Attempt, now: number): number | null {
  if (attempt.hardAt > 0) return Math.max(0, attempt.hardAt - now);
  const { hardMs, expectedMs } = attempt.task.spec.timeouts;
  if (hardMs !== null) return hardMs;
  return expectedMs === null ? null : expectedMs * loop.engine.core.settings.hardTimeoutFactor;
}

/** A handler needs nothing of the definition; a command or a request is in it. */
function workOf(loop: CommitLoop, attempt: Attempt, executor: string): Work | null {
  if (executor !== 'command' && executor !== 'http') return NO_WORK;
  const { task } = attempt;
  const kept = works.get(task.spec);
  if (kept !== undefined) return kept;
  const definition = loop.specs.definitionOf(task.run.spec) as StoredDefinition | null;
  const stated = definition?.tasks?.[task.index]?.[executor];
  if (stated === undefined) return null;
  const work = { [executor]: stated };
  const made = { work, bytes: Buffer.byteLength(JSON.stringify(work)) };
  works.set(task.spec, made);
  return made;
}

const NO_WORK: Work = { work: null, bytes: 0 };

type StoredDefinition = Omit<JobDefinition, 'tasks'> & {
  readonly tasks?: readonly {
    readonly command?: Readonly<Record<string, unknown>>;
    readonly http?: Readonly<Record<string, unknown>>;
  }[];
};
