import { ROOT_CONTEXT, type SpanContext, TraceFlags, type Tracer, trace } from '@opentelemetry/api';
import { type Attempt, type Effect, formatRunId, taskName } from '@signalbox/engine';
import type { AttemptSpans } from './attempt-spans.ts';
import { attemptSpanId, type SpanIds } from './span-ids.ts';
import { formatTraceparent, parseTraceparent } from './traceparent.ts';

/** Statuses of a span, as OpenTelemetry numbers them. */
const ERROR = 2;

/**
 * Draws an attempt into the trace that its run was submitted with: how long it waited, how
 * long it took to reach its worker, how long it ran. Spans are made afterwards, from times that the
 * engine keeps anyway, so that nothing is held for a trace while a task waits for days.
 */
export class TracedAttempts implements AttemptSpans {
  readonly #tracer: Tracer;
  readonly #ids: SpanIds;

  constructor(tracer: Tracer, ids: SpanIds) {
    this.#tracer = tracer;
    this.#ids = ids;
  }

  /** The `traceparent` that the worker continues: that of the span that `ended` draws. */
  traceOf(attempt: Attempt): string | undefined {
    const parent = parseTraceparent(attempt.task.run.head.trace);
    if (parent === null) return undefined;
    const { traceId, sampled } = parent;
    return formatTraceparent({ traceId, spanId: spanIdOf(traceId, attempt), sampled });
  }

  dispatched({ attempt }: Effect & { kind: 'assign' }, now: number): void {
    this.#span('signalbox.queue', attempt, { from: readyAt(attempt), to: attempt.assignedAt });
    this.#span('signalbox.dispatch', attempt, { from: attempt.assignedAt, to: now });
  }

  ended(attempt: Attempt, now: number): void {
    this.#span('signalbox.run', attempt, {
      from: attempt.startedAt || attempt.assignedAt,
      to: now,
    });
  }

  #span(name: string, attempt: Attempt, time: { from: number; to: number }): void {
    const { task, number, workerName } = attempt;
    const { run } = task;
    const parent = spanContextOf(run.head.trace);
    if (parent === null) return;
    const attributes = {
      'signalbox.tenant': run.spec.tenant,
      'signalbox.job': run.spec.job,
      'signalbox.run': formatRunId({ ms: run.ms, partition: run.partition, seq: run.seq }),
      'signalbox.task': task.spec.name,
      'signalbox.attempt': number,
      'signalbox.worker': workerName,
      'signalbox.state': task.state,
    };
    const context = trace.setSpanContext(ROOT_CONTEXT, parent);
    const start = () => this.#tracer.startSpan(name, { startTime: time.from, attributes }, context);
    const isRun = name === 'signalbox.run';
    const span = isRun ? this.#ids.with(spanIdOf(parent.traceId, attempt), start) : start();
    if (isRun && task.state !== 'SUCCEEDED') {
      span.setStatus({ code: ERROR, message: task.error ?? task.state });
    }
    span.end(Math.max(time.from, time.to));
  }
}

function spanIdOf(traceId: string, { task, number }: Attempt): string {
  const { ms, partition, seq } = task.run;
  const run = formatRunId({ ms, partition, seq });
  return attemptSpanId(traceId, `${run}:${taskName(task)}:${number}`);
}

export function spanContextOf(traceparent: string | undefined): SpanContext | null {
  const parent = parseTraceparent(traceparent);
  if (parent === null) return null;
  const { traceId, spanId, sampled } = parent;
  const traceFlags = sampled ? TraceFlags.SAMPLED : TraceFlags.NONE;
  return { traceId, spanId, traceFlags, isRemote: true };
}

/** When it could have run at the earliest: submitted, due, or free again after the try before. */
function readyAt({ task, assignedAt }: Attempt): number {
  const before = task.history?.at(-1)?.endedAt ?? 0;
  return Math.min(assignedAt, Math.max(task.run.ms, task.dueAt, before));
}
