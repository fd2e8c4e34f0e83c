import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Running, World } from './testing/child.ts';
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
      ]);
      const [submit, ...others] = drawn as [OtlpSpan, ...OtlpSpan[]];
      expect(submit.parentSpanId || undefined).toBe(parent);
      for (const span of others) {
        expect(span.traceId).toBe(submit.traceId);
        expect(span.parentSpanId).toBe(submit.spanId);
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

/** The submission of a run and what followed, in order. */
function spansOf(spans: readonly OtlpSpan[], run: string): OtlpSpan[] {
  const followed = spans.filter(({ attributes }) => attributes['signalbox.run'] === run);
  const parent = followed[0]?.parentSpanId;
  const submit = spans.filter(({ spanId }) => spanId === parent);
  const order = ['signalbox.queue', 'signalbox.dispatch', 'signalbox.run'];
  return [...submit, ...followed.sort((a, b) => order.indexOf(a.name) - order.indexOf(b.name))];
}
