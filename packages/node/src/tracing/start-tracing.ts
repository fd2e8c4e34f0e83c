import type { NodeTracerConfig } from '@opentelemetry/sdk-trace-node';
import type { SpanIds } from './span-ids.ts';
import { NO_TRACING, type Tracing } from './tracing.ts';
import type { WorkerSpans } from './worker-tracing.ts';

/**
 * Sends traces where `OTEL_EXPORTER_OTLP_ENDPOINT` points to. Without it nothing of
 * OpenTelemetry is even loaded. It registers nothing globally: an embedded node must not take over the traces of its host.
 */
export async function startTracing(env: NodeJS.ProcessEnv): Promise<Tracing> {
  if (tracesUrl(env) === null) return NO_TRACING;
  const { tracingOn } = await import('./tracing-on.ts');
  const { SpanIds } = await import('./span-ids.ts');
  const ids = new SpanIds();
  return tracingOn(await makeProvider(env, ids), ids);
}

export interface WorkerTracing {
  /** For the worker; absent where nobody collects traces. */
  readonly spans?: WorkerSpans;
  /** Resolves when everything drawn so far has been sent. */
  stop(): Promise<void>;
}

/** The same for a worker of the given name. */
export async function startWorkerTracing(
  env: NodeJS.ProcessEnv,
  worker: string,
): Promise<WorkerTracing> {
  if (tracesUrl(env) === null) return { stop: async () => {} };
  const { WorkerSpans } = await import('./worker-tracing.ts');
  const provider = await makeProvider(env);
  return {
    spans: new WorkerSpans(provider.getTracer('signalbox'), worker),
    stop: () => provider.shutdown(),
  };
}

async function makeProvider(env: NodeJS.ProcessEnv, ids?: SpanIds) {
  const { BatchSpanProcessor, NodeTracerProvider } = await import('@opentelemetry/sdk-trace-node');
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-http');
  const url = tracesUrl(env) ?? '';
  return new NodeTracerProvider({
    resource: resourceNamed(env['OTEL_SERVICE_NAME'] ?? 'signalbox'),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter({ url }))],
    ...(ids === undefined ? {} : { idGenerator: ids }),
  });
}

/** As the specification of OTLP says: the one for traces is taken as it is, the general one is a base. */
function tracesUrl(env: NodeJS.ProcessEnv): string | null {
  const own = env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'];
  if (own !== undefined && own !== '') return own;
  const base = env['OTEL_EXPORTER_OTLP_ENDPOINT'];
  if (base === undefined || base === '') return null;
  return `${base.replace(/\/+$/, '')}/v1/traces`;
}

function resourceNamed(name: string): NonNullable<NodeTracerConfig['resource']> {
  const attributes = { 'service.name': name };
  return {
    attributes,
    getRawAttributes: () => [['service.name', name]],
    merge() {
      return this;
    },
  };
}
