import {
  type Attempt,
  CLASSES,
  type Class,
  type JobDefinition,
  type JobSpec,
  type RunIdWriter,
  runWindow,
  type Task,
  type TaskSpec,
  taskName,
} from '@signalbox/engine';
import {
  type About,
  aboutProblem,
  COMMAND_ISOLATED,
  type FromNode,
  MESSAGE_BYTES_MAX,
} from '@signalbox/protocol';
import type { ResolvedInput } from '../inputs/input-resolver.ts';
import type { CommitLoop } from '../loop/index.ts';
import { secretNames, type WorkWithSecrets, withSecrets } from '../secrets/secret-refs.ts';

export type AssignFrame = FromNode & { kind: 'assign' };

/** Room in a message for what is neither payload nor work: names, ids, the request. */
const HEAD_BYTES = 16_384;
const ABOUTS_MAX = 64;

interface Work {
  readonly work: Readonly<Record<string, unknown>> | null;
  readonly bytes: number;
  /** Names of the secrets that it refers to. */
  readonly secrets: readonly string[];
}

/** Parts of assignments by job version and task. Jobs share the spec of a task without options. */
const versions = new WeakMap<JobSpec, WeakMap<TaskSpec, TaskParts>>();

interface TaskParts {
  /** Derived once: it is the same in every assignment. */
  work: Work | null;
  /** One for each shape and class in which it is placed. */
  readonly abouts: Known[];
}

interface Known {
  readonly shape: Attempt['shape'];
  readonly class: Class;
  readonly about: About;
  readonly bytes: number;
  /** The field that no worker would read. */
  readonly problem: string | null;
}

/** Returns the frame, or the reason why the attempt can never be sent. */
export function assignFrame(params: {
  attempt: Attempt;
  loop: CommitLoop;
  now: number;
  resolved: ResolvedInput;
  ids: RunIdWriter;
  /** The `traceparent` that the worker continues. */
  trace: string | undefined;
  /** Values of the secrets that the work refers to; null if it refers to none. */
  secrets: ReadonlyMap<string, string> | null;
}): AssignFrame | string {
  const { attempt, loop, now, resolved, ids } = params;
  const { input, parents } = resolved;
  const { task } = attempt;
  const { run } = task;
  const common = aboutOf(loop, attempt);
  const known =
    common === null || params.secrets === null ? common : filled(common, params.secrets);
  if (known === null) return 'the definition of the job is not known to this node';
  if (known.problem !== null) return `${known.problem} exceeds what can be sent to a worker`;
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
  const { trace } = params;
  const window = runWindow(run.head);
  if (trace === undefined && window === undefined && parents === null && task.part === null) {
    return frame;
  }
  return {
    ...frame,
    ...(trace === undefined ? {} : { trace }),
    ...(window === undefined ? {} : { window }),
    ...(parents === null ? {} : { parents }),
    ...(task.part?.group == null ? {} : { task: taskName(task) }),
  };
}

function aboutOf(loop: CommitLoop, attempt: Attempt): Known | null {
  const { task, shape } = attempt;
  const { abouts } = partsOf(task);
  for (const one of abouts) if (one.shape === shape && one.class === attempt.class) return one;
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
  const problem = aboutProblem(about);
  const made = { shape, class: attempt.class, about, bytes: stated.bytes, problem };
  // Shapes are few; where one is made anew for each attempt, the oldest of them is not needed again.
  if (abouts.push(made) > ABOUTS_MAX) abouts.shift();
  return made;
}

/** Of one attempt alone: what attempts share is kept in memory, and values of secrets must not be. */
function filled({ about, ...same }: Known, values: ReadonlyMap<string, string>): Known {
  const entries = Object.entries(about.work ?? {});
  const work = Object.fromEntries(
    entries.map(([name, stated]) => [name, withSecrets(stated as WorkWithSecrets, values)]),
  );
  const bytes = Buffer.byteLength(JSON.stringify(work));
  const own = { ...about, work };
  return { ...same, about: own, bytes, problem: aboutProblem(own) };
}

/** The secrets without which the attempt cannot be sent. */
export function secretsOf(loop: CommitLoop, attempt: Attempt): readonly string[] {
  const executor = attempt.shape.executor ?? '';
  return workOf(loop, attempt, executor)?.secrets ?? NO_WORK.secrets;
}

function partsOf({ run, spec }: Task): TaskParts {
  let tasks = versions.get(run.spec);
  if (tasks === undefined) {
    tasks = new WeakMap();
    versions.set(run.spec, tasks);
  }
  let parts = tasks.get(spec);
  if (parts === undefined) {
    parts = { work: null, abouts: [] };
    tasks.set(spec, parts);
  }
  return parts;
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
  const kind = WORK_OF[executor];
  if (kind === undefined) return NO_WORK;
  const { task } = attempt;
  const parts = partsOf(task);
  if (parts.work !== null) return parts.work;
  const definition = loop.specs.definitionOf(task.run.spec) as StoredDefinition | null;
  const stated = statedTask(task, definition)?.[kind];
  if (stated === undefined) return null;
  const work = { [kind]: stated };
  const bytes = Buffer.byteLength(JSON.stringify(work));
  const made = { work, bytes, secrets: secretNames(stated) };
  parts.work = made;
  return made;
}

/** What was written of the task: in the definition, or by the task that added it. */
function statedTask(task: Task, definition: StoredDefinition | null): StatedWork | undefined {
  const { run } = task;
  const index = task.part?.group?.index ?? task.index;
  if (index < run.spec.tasks.length) return definition?.tasks?.[index];
  let first = run.spec.tasks.length;
  for (const step of run.graph?.growth ?? []) {
    const count = step[0] === 'fanOut' ? step[2] : step[2].length;
    if (step[0] === 'added' && index < first + count) return step[2][index - first] as StatedWork;
    first += count;
  }
  return undefined;
}

/** Which member of a task the executor needs. */
const WORK_OF: Readonly<Record<string, 'command' | 'http'>> = {
  command: 'command',
  [COMMAND_ISOLATED]: 'command',
  http: 'http',
};

const NO_WORK: Work = { work: null, bytes: 0, secrets: [] };

type StoredDefinition = Omit<JobDefinition, 'tasks'> & {
  readonly tasks?: readonly StatedWork[];
};

interface StatedWork {
  readonly command?: Readonly<Record<string, unknown>>;
  readonly http?: Readonly<Record<string, unknown>>;
}
