import { ROOT_CONTEXT, type Tracer, trace } from '@opentelemetry/api';
import { spanContextOf } from './traced-attempts.ts';
import { formatTraceparent } from './traceparent.ts';

/** Statuses of a span, as OpenTelemetry numbers them. */
const ERROR = 2;

/** What the span of an attempt on its worker is about. */
export interface TracedAssignment {
  readonly tenant: string;
  readonly job: string;
  readonly run: string;
  readonly task: string;
  readonly executor: string;
  readonly ref: readonly number[];
  readonly trace?: string | undefined;
}

export interface AttemptSpan {
  /** The `traceparent` of this span, for what the attempt calls. */
  readonly trace: string;
  end(result: { readonly kind: string; readonly error?: string }): void;
}

/** Draws what a worker does for an attempt, under the span that the node draws for the attempt. */
export class WorkerSpans {
  readonly #tracer: Tracer;
  readonly #worker: string;

  constructor(tracer: Tracer, worker: string) {
    this.#tracer = tracer;
    this.#worker = worker;
  }

  /** Null for an attempt that belongs to no trace. */
  begin(assign: TracedAssignment): AttemptSpan | null {
    const parent = spanContextOf(assign.trace);
    if (parent === null) return null;
    const attributes = {
      'signalbox.tenant': assign.tenant,
      'signalbox.job': assign.job,
      'signalbox.run': assign.run,
      'signalbox.task': assign.task,
      'signalbox.attempt': assign.ref[3] ?? 0,
      'signalbox.worker': this.#worker,
      'signalbox.executor': assign.executor,
    };
    const context = trace.setSpanContext(ROOT_CONTEXT, parent);
    const span = this.#tracer.startSpan('signalbox.execute', { attributes }, context);
    const { traceId, spanId, traceFlags } = span.spanContext();
    return {
      trace: formatTraceparent({ traceId, spanId, sampled: (traceFlags & 1) === 1 }),
      end: ({ kind, error }) => {
        if (kind !== 'succeeded') span.setStatus({ code: ERROR, message: error ?? kind });
        span.end();
      },
    };
  }
}
