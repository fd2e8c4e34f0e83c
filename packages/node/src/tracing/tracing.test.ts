import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-node';
import { describe, expect, it } from 'vitest';
import { GatewayWorld } from '../gateway/testing/gateway-world.ts';
import { helloOf, TestWorker } from '../gateway/testing/test-worker.ts';
import { SpanIds } from './span-ids.ts';
import { startTracing, startWorkerTracing } from './start-tracing.ts';
import { newTraceparent, parseTraceparent } from './traceparent.ts';
import { NO_TRACING } from './tracing.ts';
import { tracingOn } from './tracing-on.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const CLIENT = `00-${TRACE}-b7ad6b7169203331-01`;

describe('traceparent', () => {
  it('is read, and what is not one is null', () => {
    expect(parseTraceparent(CLIENT)).toEqual({
      traceId: TRACE,
      spanId: 'b7ad6b7169203331',
      sampled: true,
    });
    expect(parseTraceparent(CLIENT.replace(/01$/, '00'))?.sampled).toBe(false);
    expect(parseTraceparent(CLIENT.replace('00-', 'cc-').concat('-more'))).not.toBeNull();
    for (const bad of [
      undefined,
      '',
      'x',
      `${CLIENT}-more`,
      CLIENT.toUpperCase(),
      CLIENT.replace('00-', 'ff-'),
      CLIENT.replace(TRACE, '0'.repeat(32)),
      CLIENT.replace('b7ad6b7169203331', '0'.repeat(16)),
      `${CLIENT}\n`,
    ]) {
      expect(parseTraceparent(bad), String(bad)).toBeNull();
    }
  });

  it('a new one is one of its own', () => {
    const made = parseTraceparent(newTraceparent());
    expect(made?.sampled).toBe(true);
    expect(parseTraceparent(newTraceparent())?.traceId).not.toBe(made?.traceId);
  });
});

/** Submits under the client's trace and lets a worker end the task as told. */
async function lifeOf(succeeds: boolean) {
  const exporter = new InMemorySpanExporter();
  const spanProcessors = [new SimpleSpanProcessor(exporter)];
  const ids = new SpanIds();
  const tracing = tracingOn(new NodeTracerProvider({ spanProcessors, idGenerator: ids }), ids);
  const { spans } = tracing;
  const world = await GatewayWorld.start(spans === undefined ? {} : { gateway: { spans } });
  const retry = { maxAttempts: 1, onExhausted: 'fail' } as const;
  await world.define('mail', { tasks: [{ executor: 'handler:mail', retry }] });
  const worker = await TestWorker.connect(world.gateway, helloOf('w'));
  const submission = tracing.submit(CLIENT);
  const head = submission.trace === undefined ? {} : { trace: submission.trace };
  await world.submit('mail', { head });
  submission.end();
  const assign = await worker.got('assign');
  worker.say({ kind: 'accept', refs: [assign.ref] });
  if (succeeds) worker.succeed(assign.ref);
  else {
    const result = { kind: 'failed', error: 'no such address' } as const;
    worker.say({ kind: 'finish', ref: assign.ref, result, output: null });
  }
  await worker.got('confirm');
  const drawn = exporter.getFinishedSpans();
  await world.stop();
  await tracing.stop();
  return { drawn, assign, submission };
}

describe('tracing', () => {
  it('one trace links submit, queue, dispatch and run, and goes on to the worker', async () => {
    const { drawn, assign, submission } = await lifeOf(true);
    expect(drawn.map((span) => span.name)).toEqual(
      expect.arrayContaining([
        'signalbox.submit',
        'signalbox.queue',
        'signalbox.dispatch',
        'signalbox.run',
      ]),
    );
    expect(drawn).toHaveLength(4);
    for (const span of drawn) expect(span.spanContext().traceId).toBe(TRACE);
    const submit = drawn.find((span) => span.name === 'signalbox.submit');
    expect(submit?.parentSpanContext?.spanId).toBe('b7ad6b7169203331');
    for (const span of drawn.filter((s) => s !== submit)) {
      expect(span.parentSpanContext?.spanId).toBe(submit?.spanContext().spanId);
      expect(span.attributes).toMatchObject({
        'signalbox.tenant': 'acme',
        'signalbox.job': 'mail',
        'signalbox.task': 'main',
        'signalbox.attempt': 1,
        'signalbox.worker': 'w',
        'signalbox.run': assign.run,
      });
      expect(span.status.code).toBe(0);
    }
    // What the worker does is part of the attempt.
    const run = drawn.find((span) => span.name === 'signalbox.run')?.spanContext();
    expect(assign.trace).toBe(`00-${TRACE}-${run?.spanId}-01`);
    expect(assign.trace).not.toBe(submission.trace);
  });

  it('a failed attempt is an error in its trace', async () => {
    const { drawn } = await lifeOf(false);
    const run = drawn.find((span) => span.name === 'signalbox.run');
    expect(run?.status).toEqual({ code: 2, message: 'no such address' });
  });

  it('without a collector passes the client its own trace on and draws nothing', async () => {
    expect(await startTracing({})).toBe(NO_TRACING);
    expect((await startWorkerTracing({}, 'w')).spans).toBeUndefined();
    expect(NO_TRACING.submit(CLIENT).trace).toBe(CLIENT);
    expect(NO_TRACING.submit('garbage').trace).toBeUndefined();
    expect(NO_TRACING.spans).toBeUndefined();
  });

  it('sends to the collector that the environment names', async () => {
    const asked = Promise.withResolvers<string>();
    const server = createServer((request, response) => {
      asked.resolve(request.url ?? '');
      request.resume();
      response.end('{}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const tracing = await startTracing({
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}/`,
    });
    tracing.submit(undefined).end();
    await tracing.stop();
    expect(await asked.promise).toBe('/v1/traces');
    server.close();
    server.closeAllConnections();
  });
});
