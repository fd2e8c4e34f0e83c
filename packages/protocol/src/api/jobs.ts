import type { Static } from 'typebox';
import type { Duration } from '../duration.ts';
import { COMMAND_ISOLATED } from '../ids.ts';
import { Type } from '../type.ts';
import { Instant, Labels, Name, Resources, Warning, wordOf } from './common.ts';
import { graphJobFields, graphTaskFields } from './graph.ts';
import { durationIn, durationOrNull, inRange } from './in-range.ts';
import { Priority } from './priority.ts';
import { TextOrSecret } from './secrets.ts';

const closed = { additionalProperties: false } as const;

const BackoffMembers = Type.Object(
  {
    type: wordOf(['fixed', 'exponential', 'list']),
    /** Of a fixed one: before each retry. Of an exponential one: before the first. */
    delay: Type.Optional(durationIn('backoff.delay')),
    /** Each delay is the one before it times this. Default: 2. */
    factor: Type.Optional(inRange('backoff.factor')),
    /** The longest delay. Default: a day. */
    maxDelay: Type.Optional(durationIn('backoff.maxDelay')),
    /** The part of each delay that is random: 0 for none, 1 for all of it. Default: 0. */
    jitter: Type.Optional(inRange('backoff.jitter')),
    /** Of a list: one for each retry; the last repeats. */
    delays: Type.Optional(Type.Array(durationIn('backoff.delay'), { minItems: 1, maxItems: 100 })),
  },
  closed,
);

export type Backoff =
  | { readonly type: 'fixed'; readonly delay: Duration }
  | {
      readonly type: 'exponential';
      readonly delay: Duration;
      readonly factor?: number;
      readonly maxDelay?: Duration;
      readonly jitter?: number;
    }
  | { readonly type: 'list'; readonly delays: readonly Duration[] };

/**
 * An object, or the delays of a list alone. One schema and no union of four: a union can only say that
 * none of its forms fits. Which members a type takes is checked where the definition is read.
 */
const BackoffSchema = Type.Unsafe<Backoff | readonly Duration[]>({
  ...BackoffMembers,
  type: ['object', 'array'],
  items: durationIn('backoff.delay'),
  minItems: 1,
  maxItems: 100,
});

export const RetryPolicy = Type.Object(
  {
    maxAttempts: Type.Optional(inRange('retry.maxAttempts')),
    /** Absent: delays that grow from seconds to hours. */
    backoff: Type.Optional(BackoffSchema),
    onExhausted: Type.Optional(Type.Union([Type.Literal('quarantine'), Type.Literal('fail')])),
    onTimeout: Type.Optional(Type.Union([Type.Literal('retry'), Type.Literal('end')])),
  },
  closed,
);

/** The times of a task's attempts; docs/api.md has them in one table. */
const timeFields = {
  /** When an attempt is stopped; null or absent: at three times `expectedDuration`, else never. */
  timeout: Type.Optional(durationOrNull('task.timeout')),
  /** Maximum time without progress, once an attempt has reported any. */
  progressTimeout: Type.Optional(durationOrNull('task.progressTimeout')),
  /** How long a stopped attempt has to clean up before it is ended by force. */
  gracePeriod: Type.Optional(durationIn('task.gracePeriod')),
  /** How long an attempt usually takes; a warning is raised at twice this. */
  expectedDuration: Type.Optional(durationOrNull('task.expectedDuration')),
};

/** A child process: a list of arguments, never a shell line. */
export const CommandWork = Type.Object(
  {
    argv: Type.Array(Type.String({ maxLength: 32_768 }), { minItems: 1, maxItems: 1_000 }),
    env: Type.Optional(Type.Record(Type.String({ maxLength: 256 }), TextOrSecret)),
    memoryMb: Type.Optional(inRange('command.memoryMb')),
    /** What goes to its standard input: the run's input, or nothing. */
    stdin: Type.Optional(Type.Union([Type.Literal('input'), Type.Literal('none')])),
    /** Runs only on workers that isolate commands from themselves. */
    isolated: Type.Optional(Type.Boolean()),
  },
  closed,
);

export const HttpWork = Type.Object(
  {
    url: Type.String({ maxLength: 8_192 }),
    method: Type.Optional(wordOf(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'])),
    headers: Type.Optional(Type.Record(Type.String({ maxLength: 256 }), TextOrSecret)),
    /** Absent: the run's input, where the method has a body. */
    body: Type.Optional(Type.String({ maxLength: 262_144 })),
    timeout: Type.Optional(durationIn('http.timeout')),
    maxRedirects: Type.Optional(inRange('http.maxRedirects')),
  },
  closed,
);

/**
 * One task. It names at most one of `handler`, `command` and `http`, or one of `sleep`, `approval`,
 * `event` and `run`, which need no worker; none means the handler of the job's name.
 */
export const TaskDefinition = Type.Object(
  {
    name: Type.Optional(Name),
    ...graphTaskFields,
    handler: Type.Optional(Name),
    command: Type.Optional(CommandWork),
    http: Type.Optional(HttpWork),
    resources: Type.Optional(Type.Partial(Resources, closed)),
    zone: Type.Optional(Name),
    workerLabels: Type.Optional(Labels),
    prefer: Type.Optional(Labels),
    antiAffinity: Type.Optional(Type.Array(Name, { maxItems: 100 })),
    retry: Type.Optional(RetryPolicy),
    ...timeFields,
    critical: Type.Optional(Type.Boolean()),
  },
  closed,
);

export const JobDefinition = Type.Object(
  {
    priority: Type.Optional(Priority),
    /** `skip`: no run of the job starts while another one is live. */
    overlap: Type.Optional(Type.Union([Type.Literal('allow'), Type.Literal('skip')])),
    description: Type.Optional(Type.String({ maxLength: 4_096 })),
    labels: Type.Optional(Labels),
    ...graphJobFields,
    tasks: Type.Optional(Type.Array(TaskDefinition, { minItems: 1, maxItems: 100_000 })),
  },
  closed,
);

export const Job = Type.Object({
  name: Name,
  version: Type.Integer(),
  state: Type.Union([Type.Literal('active'), Type.Literal('paused'), Type.Literal('deleted')]),
  definition: JobDefinition,
  author: Type.String(),
  at: Instant,
  /** Only in the answer to a change. */
  warnings: Type.Optional(Type.Array(Warning)),
});

export type RetryPolicy = Static<typeof RetryPolicy>;
export type CommandWork = Static<typeof CommandWork>;
export type HttpWork = Static<typeof HttpWork>;
export type TaskDefinition = Static<typeof TaskDefinition>;
export type JobDefinition = Static<typeof JobDefinition>;
export type Job = Static<typeof Job>;

/** What a worker must offer to run the task; `none` where no worker is needed. */
export function executorOf(job: string, task: TaskDefinition): string {
  if (task.sleep ?? task.approval ?? task.event ?? task.run) return 'none';
  if (task.command !== undefined) {
    return task.command.isolated === true ? COMMAND_ISOLATED : 'command';
  }
  if (task.http !== undefined) return 'http';
  return `handler:${task.handler ?? job}`;
}
