import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Running, World } from './testing/child.ts';
import { CommandNode } from './testing/command-node.ts';
import { OtlpReceiver, type OtlpSpan } from './testing/otlp-receiver.ts';

const DOCS = resolve(import.meta.dirname, '../../../docs');
const page = readFileSync(resolve(DOCS, 'operations.md'), 'utf8');
const section = page.slice(page.indexOf('\n## Traces\n'), page.indexOf('\n## Retention\n'));
const ENDPOINT = 'http://127.0.0.1:4318';

/** Words of a line of a shell, as far as the page uses one. */
const words = (line: string) =>
  [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, one, two, bare]) => one ?? two ?? bare ?? '',
  );

/** `NAME=value` of the lines with `export` on the page. */
function exportsOf(text: string): Record<string, string> {
  const lines = [...text.matchAll(/^export (\w+)=(\S+)/gm)];
  return Object.fromEntries(lines.map(([, name = '', value = '']) => [name, value]));
}

const commandOf = (name: string) =>
  words(new RegExp(`^signalbox (${name}.*?)(?: +#.*)?$`, 'm').exec(section)?.[1] ?? '');

describe('docs/operations.md, traces', () => {
  const world = new World();
  let receiver: OtlpReceiver;
  let dev: Running;
  let access: { url: string; key: string };

  beforeAll(async () => {
    receiver = await OtlpReceiver.start();
    const environment = exportsOf(section);
    expect(environment['OTEL_EXPORTER_OTLP_ENDPOINT']).toBe(ENDPOINT);
    dev = world.start([...commandOf('dev'), '--port', '0'], {
      ...environment,
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    });
    const [, url = ''] = await dev.printed(/ready at (http:\/\/127\.0\.0\.1:\d+)/);
    await dev.printed(/first run of hello: SUCCEEDED/);
    const key = readFileSync(join(world.folder, '.signalbox', 'key'), 'utf8').trim();
    access = { url, key };
  }, 60_000);
  afterAll(() => {
    receiver.stop();
    world.remove();
  });

  it('its commands draw one trace from submission to completion, with parents', async () => {
    const asked = { SIGNALBOX_URL: access.url, SIGNALBOX_KEY: access.key };
    const submitted = await world.call([...commandOf('submit'), '--json'], asked);
    expect(submitted.code, submitted.err).toBe(0);
    const { id: own } = JSON.parse(submitted.out) as { id: string };
    const traceparent = /'traceparent: (\S+)'/.exec(section)?.[1] ?? '';
    const body = /-d '(\{.*\})'/.exec(section)?.[1] ?? '';
    const authorization = `Bearer ${access.key}`;
    const runs = `${access.url}/api/v1/runs`;
    const headers = { authorization, 'content-type': 'application/json', traceparent };
    const answer = await fetch(runs, { method: 'POST', headers, body });
    expect(answer.status).toBe(201);
    const { id: linked } = (await answer.json()) as { id: string };
    const ended = await fetch(`${runs}/${linked}?wait=20s`, { headers: { authorization } });
    expect(await ended.json()).toMatchObject({ state: 'SUCCEEDED' });
    // What was drawn is sent when the process stops, at the latest.
    expect((await dev.stop()).code).toBe(0);

    const [, traceId = '', clientSpan] = traceparent.split('-');
    for (const [run, parent] of [
      [own, undefined],
      [linked, clientSpan],
    ] as const) {
      const drawn = spansOf(receiver.spans, run);
      expect(drawn.map(({ name }) => name)).toEqual([
        'signalbox.submit',
        'signalbox.queue',
        'signalbox.dispatch',
        'signalbox.run',
        'signalbox.execute',
      ]);
      const [submit, ...others] = drawn as [OtlpSpan, ...OtlpSpan[]];
      expect(submit.parentSpanId || undefined).toBe(parent);
      for (const span of others) {
        expect(span.traceId).toBe(submit.traceId);
        const isExecute = span.name === 'signalbox.execute';
        expect(span.parentSpanId).toBe(isExecute ? drawn[3]?.spanId : submit.spanId);
        expect(span.attributes).toMatchObject({ 'signalbox.job': 'hello', 'signalbox.run': run });
        expect(BigInt(span.endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(span.startTimeUnixNano));
      }
      expect(
        drawn.every(({ service }) => service === exportsOf(section)['OTEL_SERVICE_NAME']),
      ).toBe(true);
      if (parent !== undefined) expect(submit.traceId).toBe(traceId);
    }
    expect(receiver.headers[0]?.['x-api-key']).toBe('secret');
  }, 60_000);

  it('lists the spans that there are', () => {
    const listed = [...section.matchAll(/\n\| `(signalbox\.\w+)` \|/g)].map(([, name]) => name);
    expect(new Set(listed)).toEqual(new Set(receiver.spans.map(({ name }) => name)));
  });
});

describe('a worker in its own process', () => {
  const world = new World();
  let receiver: OtlpReceiver;
  let node: CommandNode;
  let endpoint: Server;
  const received: (string | undefined)[] = [];
  beforeAll(async () => {
    receiver = await OtlpReceiver.start();
    endpoint = createServer((request, response) => {
      received.push(request.headers['traceparent'] as string | undefined);
      response.end();
    }).listen(0, '127.0.0.1');
    await once(endpoint, 'listening');
    vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', receiver.url);
    const httpTargets = { allowHttp: true, allowPrivate: true, ports: [[1, 65_535]] } as const;
    node = await CommandNode.start({ httpTargets });
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    receiver.stop();
    endpoint.close();
    world.remove();
  });

  it('sends spans of the trace, and passes it on to requests and commands', async () => {
    const { port } = endpoint.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}/`;
    const argv = ['sh', '-c', 'printf %s "$TRACEPARENT"'];
    await node.define('both', { tasks: [{ name: 'call', http: { url } }, { command: { argv } }] });
    const access = { SIGNALBOX_URL: node.url, SIGNALBOX_KEY: node.key };
    const allowed = ['--allow-http', '--http-plain', '--http-private', '--http-ports', '1-65535'];
    const args = ['worker', '--name', 'traced', '--allow-command', ...allowed];
    const worker = world.start([...args, '--command-isolation', 'none'], {
      ...access,
      OTEL_SERVICE_NAME: 'traced-worker',
    });
    await worker.printed(/is attached to/);
    const { out } = await node.run(['submit', 'both', '--wait', '--json']);
    const run = JSON.parse(out) as { id: string; state: string };
    expect(run.state).toBe('SUCCEEDED');
    const logged = await node.run(['logs', run.id]);
    expect((await worker.stop()).code).toBe(0);
    await node.stop();
    const spans = receiver.spans.filter(({ attributes }) => attributes['signalbox.run'] === run.id);
    const parents = new Map(
      spans.filter(({ name }) => name === 'signalbox.run').map((span) => [span.spanId, span]),
    );
    const executed = spans.filter(({ name }) => name === 'signalbox.execute');
    expect(executed.map(({ attributes }) => attributes['signalbox.executor']).sort()).toEqual([
      'command',
      'http',
    ]);
    const traces = executed.map((span) => {
      expect(span.service).toBe('traced-worker');
      const parent = parents.get(span.parentSpanId ?? '');
      expect(parent?.attributes['signalbox.task']).toBe(span.attributes['signalbox.task']);
      expect(parent?.traceId).toBe(span.traceId);
      return [span.attributes['signalbox.executor'], `00-${span.traceId}-${span.spanId}-01`];
    });
    const { http, command } = Object.fromEntries(traces) as { http: string; command: string };
    expect(received).toEqual([http]);
    expect(logged.out).toContain(command);
  }, 60_000);
});

/** The submission of a run and what followed, in order. */
function spansOf(spans: readonly OtlpSpan[], run: string): OtlpSpan[] {
  const followed = spans.filter(({ attributes }) => attributes['signalbox.run'] === run);
  const parent = followed.find(({ name }) => name === 'signalbox.queue')?.parentSpanId;
  const submit = spans.filter(({ spanId }) => spanId === parent);
  const order = ['queue', 'dispatch', 'run', 'execute'].map((name) => `signalbox.${name}`);
  return [...submit, ...followed.sort((a, b) => order.indexOf(a.name) - order.indexOf(b.name))];
}
