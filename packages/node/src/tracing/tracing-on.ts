import { ROOT_CONTEXT, type Tracer, type TracerProvider, trace } from '@opentelemetry/api';
import type { SpanIds } from './span-ids.ts';
import { spanContextOf, TracedAttempts } from './traced-attempts.ts';
import { formatTraceparent } from './traceparent.ts';
import type { SubmitSpan, Tracing } from './tracing.ts';

export type StoppableProvider = TracerProvider & { shutdown(): Promise<void> };

/** `ids` is the generator of ids that the provider uses. */
export function tracingOn(provider: StoppableProvider, ids: SpanIds): Tracing {
  const tracer = provider.getTracer('signalbox');
  return {
    spans: new TracedAttempts(tracer, ids),
    submit: (header) => submitSpan(tracer, header),
    stop: () => provider.shutdown(),
  };
}

function submitSpan(tracer: Tracer, header: string | undefined): SubmitSpan {
  const parent = spanContextOf(header);
  const context = parent === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent);
  const span = tracer.startSpan('signalbox.submit', {}, context);
  const { traceId, spanId, traceFlags } = span.spanContext();
  const sampled = (traceFlags & 1) === 1;
  return { trace: formatTraceparent({ traceId, spanId, sampled }), end: () => span.end() };
}
