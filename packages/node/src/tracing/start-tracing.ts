import type { NodeTracerConfig } from '@opentelemetry/sdk-trace-node';
import { NO_TRACING, type Tracing } from './tracing.ts';

/**
 * Sends traces where `OTEL_EXPORTER_OTLP_ENDPOINT` points to. Without it nothing of
 * OpenTelemetry is even loaded. It registers nothing globally: an embedded node must not take over the traces of its host.
 */
export async function startTracing(env: NodeJS.ProcessEnv): Promise<Tracing> {
  const url = tracesUrl(env);
  if (url === null) return NO_TRACING;
  const { BatchSpanProcessor, NodeTracerProvider } = await import('@opentelemetry/sdk-trace-node');
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-http');
  const { tracingOn } = await import('./tracing-on.ts');
  const provider = new NodeTracerProvider({
    resource: resourceNamed(env['OTEL_SERVICE_NAME'] ?? 'signalbox'),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter({ url }))],
  });
  return tracingOn(provider);
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
