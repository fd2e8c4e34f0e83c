import type { Static } from 'typebox';
import { Type } from '../type.ts';
import { Instant, Labels, Name, Resources, wordOf } from './common.ts';
import { graphJobFields, graphTaskFields } from './graph.ts';
import { inRange } from './in-range.ts';
import { Priority } from './priority.ts';

const closed = { additionalProperties: false } as const;

export const RetryPolicy = Type.Object(
  {
    attemptsMax: Type.Optional(inRange('retry.attemptsMax')),
    fixedDelayMs: Type.Optional(Type.Union([inRange('retry.fixedDelayMs'), Type.Null()])),
    onExhausted: Type.Optional(Type.Union([Type.Literal('quarantine'), Type.Literal('fail')])),
    onTimeout: Type.Optional(Type.Union([Type.Literal('retry'), Type.Literal('end')])),
  },
  closed,
);

export const Timeouts = Type.Object(
  {
    expectedMs: Type.Optional(Type.Union([inRange('timeouts.expectedMs'), Type.Null()])),
    hardMs: Type.Optional(Type.Union([inRange('timeouts.hardMs'), Type.Null()])),
    progressMs: Type.Optional(Type.Union([inRange('timeouts.progressMs'), Type.Null()])),
    graceMs: Type.Optional(inRange('timeouts.graceMs')),
  },
  closed,
);

/** A child process: a list of arguments, never a shell line. */
export const CommandWork = Type.Object(
  {
    argv: Type.Array(Type.String({ maxLength: 32_768 }), { minItems: 1, maxItems: 1_000 }),
    env: Type.Optional(Type.Record(Type.String({ maxLength: 256 }), Type.String())),
    memoryMb: Type.Optional(inRange('command.memoryMb')),
    /** What goes to its standard input: the run's input, or nothing. */
    stdin: Type.Optional(Type.Union([Type.Literal('input'), Type.Literal('none')])),
  },
  closed,
);

export const HttpWork = Type.Object(
  {
    url: Type.String({ maxLength: 8_192 }),
    method: Type.Optional(wordOf(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'])),
    headers: Type.Optional(Type.Record(Type.String({ maxLength: 256 }), Type.String())),
    /** Absent: the run's input, where the method has a body. */
    body: Type.Optional(Type.String({ maxLength: 262_144 })),
    timeoutMs: Type.Optional(inRange('http.timeoutMs')),
    redirectsMax: Type.Optional(inRange('http.redirectsMax')),
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
    request: Type.Optional(Type.Partial(Resources)),
    zone: Type.Optional(Name),
    labels: Type.Optional(Labels),
    prefer: Type.Optional(Labels),
    apart: Type.Optional(Type.Array(Name, { maxItems: 100 })),
    retry: Type.Optional(RetryPolicy),
    timeouts: Type.Optional(Timeouts),
    critical: Type.Optional(Type.Boolean()),
  },
  closed,
);

export const JobDefinition = Type.Object(
  {
    priority: Type.Optional(Priority),
    /** `skip`: no run of the job starts while another one is live, whoever asks for it. */
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
  state: Type.Union([Type.Literal('enabled'), Type.Literal('paused'), Type.Literal('deleted')]),
  definition: JobDefinition,
  author: Type.String(),
  at: Instant,
});

export type RetryPolicy = Static<typeof RetryPolicy>;
export type Timeouts = Static<typeof Timeouts>;
export type CommandWork = Static<typeof CommandWork>;
export type HttpWork = Static<typeof HttpWork>;
export type TaskDefinition = Static<typeof TaskDefinition>;
export type JobDefinition = Static<typeof JobDefinition>;
export type Job = Static<typeof Job>;

/** What a worker must offer to run the task; `none` where no worker is needed. */
export function executorOf(job: string, task: TaskDefinition): string {
  if (task.sleep ?? task.approval ?? task.event ?? task.run) return 'none';
  if (task.command !== undefined) return 'command';
  if (task.http !== undefined) return 'http';
  return `handler:${task.handler ?? job}`;
}
