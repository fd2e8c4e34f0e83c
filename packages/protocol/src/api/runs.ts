import type { Static } from 'typebox';
import { Type } from '../type.ts';
import { IdempotencyKey, Instant, InstantInput, Name } from './common.ts';
import { durationIn } from './in-range.ts';
import { Priority, PriorityName } from './priority.ts';
import { RunState, TaskState } from './states.ts';

const closed = { additionalProperties: false } as const;

/** One submission. The job must exist. At most one input: any JSON, any bytes, or a blob's name. */
export const Submission = Type.Object(
  {
    job: Name,
    input: Type.Optional(Type.Unknown()),
    inputBase64: Type.Optional(Type.String()),
    /** The name of a payload that was sent before, with `PUT /blobs`: for what is too large for a body. */
    inputBlob: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9._-]{1,200}$' })),
    priority: Type.Optional(Priority),
    /** At most one run per tenant and key while it is remembered; also as the header `Idempotency-Key`. */
    idempotencyKey: Type.Optional(IdempotencyKey),
    /** No second live run of the job with the same value. */
    uniqueKey: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
    /** Not before this instant. */
    runAt: Type.Optional(InstantInput),
    /** Not before this much time has passed since the node received it. Not together with `runAt`. */
    delay: Type.Optional(durationIn('submission.delay')),
  },
  closed,
);

export const Submitted = Type.Object({
  id: Type.String(),
  job: Name,
  /** False where the idempotency key or the unique key already had a run: `id` is that one. */
  created: Type.Boolean(),
  /**
   * Accepted by a node that does not own the job's partition, with a unique key or for a job that
   * excludes overlap: the owner has yet to decide whether `id` becomes a run of its own or a live run's.
   */
  pending: Type.Optional(Type.Literal(true)),
  /**
   * Only in a batch, where others of it became runs: this submission was refused, because its key belongs to
   * the run `id`, which has another job or another input.
   */
  error: Type.Optional(
    Type.Object({ code: Type.Literal('idempotency_conflict'), message: Type.String() }),
  ),
});

export const AttemptView = Type.Object({
  id: Type.String(),
  number: Type.Integer(),
  worker: Type.String(),
  assignedAt: Type.Union([Instant, Type.Null()]),
  startedAt: Type.Union([Instant, Type.Null()]),
  endedAt: Type.Union([Instant, Type.Null()]),
  /** A reason code of docs/lifecycle.md; empty while it runs. */
  outcome: Type.String(),
});

export const TaskView = Type.Object({
  id: Type.String(),
  name: Type.String(),
  state: TaskState,
  error: Type.Union([Type.String(), Type.Null()]),
  /** Of a task that FAILED, TIMED_OUT or is QUARANTINED: a reason code of docs/lifecycle.md. */
  reason: Type.Optional(Type.String()),
  progress: Type.Union([Type.Number(), Type.Null()]),
  /** When a task that waits for time is due, also for its next attempt. */
  runAt: Type.Union([Instant, Type.Null()]),
  attempts: Type.Array(AttemptView),
  /** Of a task that waits or has waited for time, a person, an event or a run; `until` is null while it does. */
  wait: Type.Optional(Type.Object({ from: Instant, until: Type.Union([Instant, Type.Null()]) })),
  /** Names of the tasks that it comes after, where the job version does not tell: added at run time. */
  after: Type.Optional(Type.Array(Type.String())),
  /** The run that it waits for, or waited for, once that was accepted. */
  nestedRun: Type.Optional(Type.String()),
});

export const RunView = Type.Object({
  id: Type.String(),
  job: Name,
  jobVersion: Type.Integer(),
  priority: PriorityName,
  state: RunState,
  submittedAt: Instant,
  endedAt: Type.Union([Instant, Type.Null()]),
  idempotencyKey: Type.Optional(Type.String()),
  trigger: Type.Optional(Type.Record(Type.String(), Type.String())),
  /** Why it is PAUSED: `asked`, `task_failed` or `fan_out_limit`. */
  paused: Type.Optional(
    Type.Object({ by: Type.String(), why: Type.String(), detail: Type.String() }),
  ),
  /** The task of another run that waits for it, or waited. */
  nestedIn: Type.Optional(Type.Object({ run: Type.String(), task: Type.String() })),
  /** The event that it was made from; `depth` counts the ends of runs that led to it. */
  event: Type.Optional(
    Type.Object({
      source: Type.String(),
      id: Type.String(),
      type: Type.String(),
      depth: Type.Optional(Type.Integer()),
    }),
  ),
  /** The window of a schedule that it is the run of. */
  window: Type.Optional(
    Type.Object({
      /** Schedule and instant, `nightly_2030-01-15T02:00:00.000Z`: stands for the run wherever its id does. */
      id: Type.String(),
      schedule: Type.String(),
      at: Instant,
      planned: Instant,
      catchUp: Type.Boolean(),
      backfill: Type.Boolean(),
    }),
  ),
  /** Up to a thousand of them. */
  tasks: Type.Array(TaskView),
  /** Where there are more: the cursor of `/runs/{id}/tasks` behind them. */
  nextTasks: Type.Optional(Type.String()),
  /** The output as JSON where it is JSON; else it is absent, and /output has the bytes. */
  output: Type.Optional(Type.Unknown()),
});

export const LogLine = Type.Object({
  task: Type.String(),
  attempt: Type.Integer(),
  number: Type.Integer(),
  at: Instant,
  stream: Type.Union([Type.Literal('stdout'), Type.Literal('stderr'), Type.Literal('log')]),
  text: Type.String(),
});

/** Why a task is not running: the one constraint that binds, and what would lift it. */
export const Diagnosis = Type.Object({
  task: Type.String(),
  state: TaskState,
  /** A code of docs/errors.md, `RUNNING` or `ENDED` where nothing holds it. */
  reason: Type.String(),
  detail: Type.String(),
  suggestion: Type.String(),
  numbers: Type.Record(Type.String(), Type.Unknown()),
});

export type Submission = Static<typeof Submission>;
export type Submitted = Static<typeof Submitted>;
export type AttemptView = Static<typeof AttemptView>;
export type TaskView = Static<typeof TaskView>;
export type RunView = Static<typeof RunView>;
export type LogLine = Static<typeof LogLine>;
export type Diagnosis = Static<typeof Diagnosis>;
