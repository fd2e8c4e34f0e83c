import {
  type Attempt,
  CLASSES,
  type Class,
  type JobDefinition,
  type RunIdWriter,
  type TaskSpec,
  taskName,
} from '@signalbox/engine';
import { type About, type FromNode, MESSAGE_BYTES_MAX } from '@signalbox/protocol';
import type { CommitLoop } from '../loop/index.ts';
import type { Supply } from '../supply/supplier.ts';

export type AssignFrame = FromNode & { kind: 'assign' };

/** Room in a message for what is neither payload nor work: names, ids, the request. */
const HEAD_BYTES = 16_384;
const ABOUTS_MAX = 64;

interface Work {
  readonly work: Readonly<Record<string, unknown>> | null;
  readonly bytes: number;
}

/** Derived once per task of a job version: it is the same in every assignment. */
const works = new WeakMap<TaskSpec, Work>();
/** What is said of a task, one for each shape and class in which it is placed. */
const abouts = new WeakMap<TaskSpec, Known[]>();

interface Known {
  readonly shape: Attempt['shape'];
  readonly class: Class;
  readonly about: About;
  readonly bytes: number;
}

/** The frame, or why the attempt cannot be sent and never will be. */
export function assignFrame(params: {
  attempt: Attempt;
  loop: CommitLoop;
  now: number;
  supply: Supply;
  ids: RunIdWriter;
}): AssignFrame | string {
  const { attempt, loop, now, supply, ids } = params;
  const { input, parents } = supply;
  const { task } = attempt;
  const { run } = task;
  const known = aboutOf(loop, attempt);
  if (known === null) return 'the definition of the job is not known to this node';
  const payload = (input?.length ?? 0) + (task.checkpoint?.length ?? 0) + (parents?.length ?? 0);
  if (known.bytes + payload + HEAD_BYTES > MESSAGE_BYTES_MAX) {
    return `the assignment does not fit in a message of ${MESSAGE_BYTES_MAX} bytes`;
  }
  const frame: AssignFrame = {
    kind: 'assign',
    ref: [run.partition, run.seq, task.index, attempt.number, attempt.epoch, attempt.token],
    about: known.about,
    run: ids.write(run),
    timeoutMs: timeoutOf(loop, attempt, now),
    input,
    checkpoint: task.checkpoint,
  };
  const { trace } = run.head;
  if (trace === undefined && parents === null && task.part === null) return frame;
  return {
    ...frame,
    ...(trace === undefined ? {} : { trace }),
    ...(parents === null ? {} : { parents }),
    ...(task.part?.group == null ? {} : { task: taskName(task) }),
  };
}

function aboutOf(loop: CommitLoop, attempt: Attempt): Known | null {
  const { task, shape } = attempt;
  let all = abouts.get(task.spec);
  if (all === undefined) {
    all = [];
    abouts.set(task.spec, all);
  }
  for (const one of all) if (one.shape === shape && one.class === attempt.class) return one;
  const { tenant, job, version } = task.run.spec;
  const executor = shape.executor ?? `handler:${job}`;
  const stated = workOf(loop, attempt, executor);
  if (stated === null) return null;
  const about: About = {
    tenant,
    job,
    jobVersion: version,
    task: task.spec.name,
    executor,
    work: stated.work,
    request: shape.request,
    class: CLASSES[attempt.class],
    graceMs: task.spec.timeouts.graceMs,
  };
  const made = { shape, class: attempt.class, about, bytes: stated.bytes };
  // Shapes are few; where one is made anew for each attempt, the oldest of them is not needed again.
  if (all.push(made) > ABOUTS_MAX) all.shift();
  return made;
}

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
