import type { Static, TSchema } from 'typebox';
import { LIMITS } from '../limits.ts';
import { Type } from '../type.ts';
import { InstantInput, Name, wordOf } from './common.ts';
import { durationIn, inRange } from './in-range.ts';

/** Settings of a graph beyond its tasks and edges; described in docs/pipelines.md. */
const closed = { additionalProperties: false } as const;
const Expression = Type.String({ minLength: 1, maxLength: 2_048 });
/** `rows.0.id`: members and positions, joined by dots. Empty or absent: the whole value. */
const Path = Type.String({ maxLength: 512 });

export const FAILURE_POLICIES = [
  'FAIL_FAST',
  'FAIL_AFTER_ALL',
  'SKIP_FAILED',
  'CONTINUE',
  'PAUSE',
] as const;
export const FailurePolicy = wordOf(FAILURE_POLICIES);

/** The most tasks that one run may ever have, declared, fanned out and added. */
export const RUN_TASKS_MAX = LIMITS['limits.maxFanOut'].max;

export const RunLimits = Type.Object(
  {
    /** Maximum number of children of one fan-out; above it the run is paused with an alert. */
    maxFanOut: Type.Optional(inRange('limits.maxFanOut')),
    /** Tasks of one run that may become ready within a second. */
    readyPerSecond: Type.Optional(inRange('limits.readyPerSecond')),
  },
  closed,
);

export const NotifyTarget = Type.Object({ url: Type.String({ maxLength: 8_192 }) }, closed);
const Targets = Type.Array(NotifyTarget, { minItems: 1, maxItems: 10 });

export const Notify = Type.Object(
  {
    /** SUCCEEDED. */
    onSuccess: Type.Optional(Targets),
    /** FAILED, PARTIAL, CANCELLED. */
    onFailure: Type.Optional(Targets),
    /** Not an end, but needs attention: paused automatically, or without progress. */
    onAlert: Type.Optional(Targets),
  },
  closed,
);

const InputName = Type.String({ minLength: 1, maxLength: 128 });
const singleSources = [
  Type.Object({ task: Name, path: Type.Optional(Path) }, closed),
  Type.Object({ path: Path }, closed),
  Type.Object({ value: Type.Unknown() }, closed),
] as const;
const SingleSource = Type.Union([...singleSources]);

function composedOf<Source extends TSchema>(source: Source) {
  return Type.Union([
    ...singleSources,
    Type.Object({ list: Type.Array(source, { maxItems: 1_000 }) }, closed),
    Type.Object({ object: Type.Record(InputName, source) }, closed),
  ]);
}

/** How deep lists and objects of sources may be nested in each other: the schema has no cycles. */
export const INPUT_DEPTH_MAX = 4;

/**
 * Where a member of a task's input comes from: a parent's output, the run's input, a constant, or a list or an
 * object of these.
 */
export const InputSource = composedOf(composedOf(composedOf(composedOf(SingleSource))));

export const FanOut = Type.Object(
  {
    /** The parent whose output says how many: a list of items, a number, or `{"total": n}`. Absent: the run's input. */
    from: Type.Optional(Name),
    /** Where in it. */
    path: Type.Optional(Path),
  },
  closed,
);

/** It names one of `for` and `until`. */
export const Sleep = Type.Object(
  { for: Type.Optional(durationIn('sleep.for')), until: Type.Optional(InstantInput) },
  closed,
);

export const Approval = Type.Object(
  {
    /** What the person is asked. */
    message: Type.Optional(Type.String({ maxLength: 4_096 })),
    timeout: Type.Optional(durationIn('approval.timeout')),
    /** The decision after the timeout; without it the task is TIMED_OUT. */
    default: Type.Optional(wordOf(['approve', 'reject'])),
    /**
     * The effect of a rejection, or of a timeout without a default, on downstream tasks: `stop` (the default)
     * cancels them under every failure policy, `continue` lets them run.
     */
    onReject: Type.Optional(wordOf(['stop', 'continue'])),
  },
  closed,
);

export const EventWait = Type.Object(
  {
    type: Type.String({ minLength: 1, maxLength: 256 }),
    /** CEL over `event`, `input` and `tasks`; absent: any event of the type. */
    filter: Type.Optional(Expression),
    timeout: Type.Optional(durationIn('event.timeout')),
    /** What silence means; without it the task is TIMED_OUT. */
    default: Type.Optional(wordOf(['succeed', 'skip'])),
  },
  closed,
);

export const NestedRun = Type.Object(
  {
    job: Name,
    /**
     * The effect of a rejected approval of that run on downstream tasks: `stop` (the default)
     * cancels them under every failure policy, `continue` counts that run by its state alone.
     */
    onReject: Type.Optional(wordOf(['stop', 'continue'])),
  },
  closed,
);

/** Members of a task that only graphs have use for. */
export const graphTaskFields = {
  after: Type.Optional(Type.Array(Name, { maxItems: 10_000 })),
  /** CEL over `input` and `tasks.<parent>.output`; false: the task is SKIPPED. */
  when: Type.Optional(Expression),
  /** What a parent that was SKIPPED means for this task: it is skipped too, or does without it. */
  ifParentSkipped: Type.Optional(wordOf(['skip', 'run'])),
  /** The task's input, member by member; absent: the run's input. */
  inputs: Type.Optional(Type.Record(InputName, InputSource)),
  fanOut: Type.Optional(FanOut),
  /** Its output may add tasks and edges: `{"tasks": […], "edges": [{"from","to"}]}`. */
  dynamic: Type.Optional(Type.Boolean()),
  sleep: Type.Optional(Sleep),
  approval: Type.Optional(Approval),
  event: Type.Optional(EventWait),
  run: Type.Optional(NestedRun),
};

/** Members of a job that only graphs have use for. */
export const graphJobFields = {
  failurePolicy: Type.Optional(FailurePolicy),
  /** Some tasks failed: PARTIAL instead of FAILED. The default for CONTINUE and SKIP_FAILED. */
  allowPartial: Type.Optional(Type.Boolean()),
  limits: Type.Optional(RunLimits),
  notify: Type.Optional(Notify),
  /** The usual duration of a run; an alert is raised at twice this. */
  expectedDuration: Type.Optional(durationIn('job.expectedDuration')),
  /** Types of events that tasks wait for which are added at run time; other waits need not be named. */
  eventTypes: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 256 }), { minItems: 1, maxItems: 100 }),
  ),
};

export type FailurePolicy = Static<typeof FailurePolicy>;
export type RunLimits = Static<typeof RunLimits>;
export type Notify = Static<typeof Notify>;
export type NotifyTarget = Static<typeof NotifyTarget>;
export type InputSource = Static<typeof InputSource>;
export type FanOut = Static<typeof FanOut>;
export type Sleep = Static<typeof Sleep>;
export type Approval = Static<typeof Approval>;
export type EventWait = Static<typeof EventWait>;
export type NestedRun = Static<typeof NestedRun>;
