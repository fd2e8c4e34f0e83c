import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ReceivedEvents, RunView, Trigger } from '@signalbox/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDatabase, hasPostgres } from '../../../../tools/testing/postgres.ts';
import { ApiWorld, type Ask } from './testing/api-world.ts';

const folder = mkdtempSync(join(tmpdir(), 'signalbox-events-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const STORES = [
  ['memory', async () => 'memory:'],
  ['SQLite', async () => `file:${join(folder, 'events.db')}`],
  ...(hasPostgres ? [['PostgreSQL', createDatabase] as const] : []),
] as const;

const STRUCTURED = { 'content-type': 'application/cloudevents+json' };
const BATCH = { 'content-type': 'application/cloudevents-batch+json' };

function event(own: object = {}) {
  return {
    specversion: '1.0',
    id: 'e1',
    source: '/shop',
    type: 'order.paid',
    data: { n: 1 },
    ...own,
  };
}

describe.each(STORES)('events over HTTP on %s', (_name, address) => {
  let world: ApiWorld;
  let submitter: string;
  beforeAll(async () => {
    world = await ApiWorld.start({ store: await address() });
    submitter = await world.makeKey('submitter', 'default');
    for (const name of ['mail', 'next'])
      await world.ask('/jobs', { body: { name, definition: {} } });
    await put('paid', { source: '/shop', type: 'order.paid' });
  });
  afterAll(() => world.stop());

  const put = (name: string, definition: object) =>
    world.ask(`/triggers/${name}`, { method: 'PUT', body: { job: 'mail', ...definition } });
  const send = (body: unknown, ask: Ask = {}) =>
    world.ask('/events', {
      raw: typeof body === 'string' ? body : JSON.stringify(body),
      headers: Array.isArray(body) ? BATCH : STRUCTURED,
      key: submitter,
      ...ask,
    });
  const outcomes = (answer: { json<T>(): T }) =>
    answer.json<ReceivedEvents>().events.map(({ runs }) => runs.map(({ outcome }) => outcome));

  it('TRG-23 takes one, a batch, and one whose attributes are headers', async () => {
    expect(outcomes(await send(event({ id: 's' })))).toEqual([['created']]);
    const batch = [
      event({ id: 'b1' }),
      event({ id: 'b2' }),
      event({ id: 'b1' }),
      event({ type: 'x' }),
    ];
    expect(outcomes(await send(batch))).toEqual([['created'], ['created'], ['duplicate'], []]);
    const headers = {
      'content-type': 'application/json',
      'ce-specversion': '1.0',
      'ce-id': 'h%201',
      'ce-source': '/shop',
      'ce-type': 'order.paid',
      'ce-region': 'eu',
    };
    const binary = await send('{"n":2}', { headers });
    expect(outcomes(binary)).toEqual([['created']]);
    const [received] = binary.json<ReceivedEvents>().events;
    expect(received?.id).toBe('h 1');
    const run = await world.ask(`/runs/${received?.runs[0]?.run}`);
    expect(run.json<RunView>()).toMatchObject({
      trigger: { kind: 'event', of: 'paid' },
      event: { id: 'h 1', source: '/shop', type: 'order.paid' },
    });
    const input = await world.ask(`/runs/${received?.runs[0]?.run}/input`);
    expect(input.text).toBe('{"n":2}');
    const text = { ...headers, 'content-type': 'text/plain', 'ce-id': 'text' };
    expect(outcomes(await send('plain', { headers: text }))).toEqual([['created']]);
    const bytes = { ...headers, 'content-type': 'image/png', 'ce-id': 'bytes' };
    const smuggled = { ...bytes, 'ce-data_base64': 'AQA=' };
    expect((await send('', { headers: smuggled })).status).toBe(422);
    const picture = await send('\u0001\u0000', { headers: bytes });
    expect(outcomes(picture)).toEqual([['created']]);
    const [shown] = picture.json<ReceivedEvents>().events;
    const kept = await world.ask(`/runs/${shown?.runs[0]?.run}/input`);
    expect(kept.headers.get('content-type')).toBe('application/octet-stream');
    expect(kept.text).toBe('\u0001\u0000');
    const test = { event: event({ data: undefined, data_base64: 'AQA=' }), name: 'paid' };
    expect((await world.ask('/triggers/test', { body: test })).json()).toMatchObject({
      matches: true,
      inputBase64: 'AQA=',
    });
    const metrics = await world.ask('/metrics');
    expect(metrics.text).toMatch(/signalbox_events_total\{outcome="duplicate"\} [1-9]/);
    expect(metrics.text).toMatch(/signalbox_events_total\{outcome="unmatched"\} [1-9]/);
  });

  it('TRG-23 the same event from fifty connections at once is one run', async () => {
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => send(event({ id: 'rush' }))),
    );
    const made = answers.flatMap((answer) => answer.json<ReceivedEvents>().events[0]?.runs ?? []);
    expect(made.filter(({ outcome }) => outcome === 'created')).toHaveLength(1);
    expect(new Set(made.map(({ run }) => run)).size).toBe(1);
    expect(made).toHaveLength(50);
  });

  it.each([
    ['no event', {}, 'specversion'],
    ['another version', event({ specversion: '0.3' }), 'specversion'],
    ['no id', event({ id: undefined }), 'id'],
    ['an empty id', event({ id: '' }), 'id'],
    ['a number as id', event({ id: 7 }), 'id'],
    ['a long source', event({ source: 'x'.repeat(1_025) }), 'source'],
    ['a NUL', event({ type: 'a\u0000b' }), 'type'],
    ['a time that is none', event({ time: 'yesterday' }), 'time'],
    ['an attribute in capitals', event({ Region: 'eu' }), 'Region'],
    ['an attribute that is an object', event({ region: {} }), 'region'],
    ['data twice', event({ data_base64: 'AAAA' }), 'data_base64'],
    ['no base64', event({ data: undefined, data_base64: '!' }), 'data_base64'],
    ['the source of ends of runs', event({ source: 'signalbox' }), 'source'],
  ])('is refused with its field: %s', async (_what, body, field) => {
    const answer = await send(body);
    expect([answer.status, answer.error().code]).toEqual([422, 'invalid']);
    expect(answer.error().field).toBe(field);
    const batch = await send([event({ id: 'good' }), body]);
    expect(batch.error().field).toBe(`[1].${field}`);
  });

  it('takes nothing of a batch of which one is no event', async () => {
    await send([event({ id: 'half' }), {}]);
    expect(outcomes(await send(event({ id: 'half' })))).toEqual([['created']]);
  });

  it.each([
    ['no JSON', '{', STRUCTURED, 400],
    ['no UTF-8', Buffer.from([0x22, 0xff, 0x22]), STRUCTURED, 400],
    ['nothing', '', STRUCTURED, 400],
    ['a million levels', '['.repeat(1_000_000), STRUCTURED, 400],
    ['no batch', '{}', BATCH, 422],
    ['too many', `[${Array.from({ length: 501 }, () => '{}').join()}]`, BATCH, 413],
    ['a prototype', '{"specversion":"1.0","__proto__":{"admin":true}}', STRUCTURED, 422],
    ['another type', '{}', { 'content-type': 'application/json' }, 415],
    ['a form', 'a=1', { 'content-type': 'application/x-www-form-urlencoded' }, 415],
    ['too large', 'x'.repeat(1_048_577), STRUCTURED, 413],
    ['packed', '{}', { ...STRUCTURED, 'content-encoding': 'gzip' }, 415],
  ])('answers hostile bodies in kind: %s', async (_what, raw, headers, status) => {
    const began = performance.now();
    const answer = await send('', { raw: raw as string, headers });
    expect(answer.status).toBe(status);
    expect(answer.text).not.toMatch(/at .*\.ts|node_modules/);
    expect(performance.now() - began).toBeLessThan(5_000);
    expect(({} as { admin?: boolean }).admin).toBeUndefined();
  });

  it('starts a run when another ends, however that came', async () => {
    await put('after', {
      job: 'next',
      source: 'signalbox',
      type: 'run.cancelled',
      subject: 'mail',
    });
    const submitted = await world.ask('/runs', { body: { job: 'mail' } });
    const { id } = submitted.json<{ id: string }>();
    expect((await world.ask(`/runs/${id}/cancel`, { method: 'POST', body: {} })).status).toBe(200);
    const made = await untilRun(world, 'next');
    expect(made.event).toEqual({ source: 'signalbox', id, type: 'run.cancelled', depth: 1 });
    const page = await world.ask('/runs?job=next');
    expect(page.json<{ items: unknown[] }>().items).toHaveLength(1);
  });

  it('keeps versions: 412 for one that is not the newest, and the secret is shown once', async () => {
    const made = await put('signed', { hook: { style: 'standard' } });
    expect(made.status).toBe(201);
    const { secret, hookPath, version } = made.json<Trigger>();
    expect(secret).toMatch(/^whsec_/);
    expect(hookPath).toBe('/api/v1/hooks/default/signed');
    const shown = await world.ask('/triggers/signed');
    expect(shown.text).not.toContain(secret);
    expect(shown.json<Trigger>().definition.hook).toEqual({ style: 'standard' });
    const headers = { 'if-match': `"${version + 1}"` };
    const body = { job: 'mail', hook: { style: 'standard' } };
    const stale = await world.ask('/triggers/signed', { method: 'PUT', body, headers });
    expect(stale.status).toBe(412);
    const stored = await world.node.context.store.getDefinition({
      ...{ tenant: 'default', kind: 'trigger', name: 'signed' },
    });
    expect(stored?.body).not.toContain((secret ?? '').slice(6));
    expect(world.logged.join('')).not.toContain(secret);
  });
});

async function untilRun(world: ApiWorld, job: string): Promise<RunView> {
  const giveUpAt = performance.now() + 20_000;
  while (performance.now() < giveUpAt) {
    const [run] = (await world.ask(`/runs?job=${job}`)).json<{ items: RunView[] }>().items;
    if (run !== undefined) return run;
  }
  throw new Error(`no run of ${job} came`);
}

describe('hooks', () => {
  let world: ApiWorld;
  const SECRET = 'a secret of sixteen letters';
  beforeAll(async () => {
    world = await ApiWorld.start();
    await world.ask('/jobs', { body: { name: 'mail', definition: {} } });
    for (const style of ['github', 'stripe', 'standard']) {
      const body = { job: 'mail', hook: { style, secret: SECRET } };
      await world.ask(`/triggers/${style}`, { method: 'PUT', body });
    }
    const off = { job: 'mail', hook: { style: 'github', secret: SECRET } };
    await world.ask('/triggers/off', { method: 'PUT', body: off });
    await world.ask('/triggers/off/pause', { body: {} });
  });
  afterAll(() => world.stop());

  const hmac = (text: string, encoding: 'hex' | 'base64', secret = SECRET) =>
    createHmac('sha256', secret).update(text).digest(encoding);
  const seconds = (agoMs = 0) => String(Math.floor((Date.now() - agoMs) / 1_000));
  const github = (body: string, id = 'd1', secret = SECRET) => ({
    'x-hub-signature-256': `sha256=${hmac(body, 'hex', secret)}`,
    'x-github-delivery': id,
    'x-github-event': 'push',
  });
  const stripe = (body: string, time = seconds()) => ({
    'stripe-signature': `t=${time},v1=${'0'.repeat(64)},v1=${hmac(`${time}.${body}`, 'hex')}`,
  });
  const standard = (body: string, id = 'msg_1', time = seconds()) => ({
    'webhook-id': id,
    'webhook-timestamp': time,
    'webhook-signature': `v1,AAAA v1,${hmac(`${id}.${time}.${body}`, 'base64')}`,
  });
  const call = (name: string, body: string, headers: Record<string, string>) =>
    world.ask(`/hooks/default/${name}`, {
      key: null,
      raw: body,
      headers: { 'content-type': 'application/json', ...headers },
    });

  it.each([
    ['github', (body: string) => github(body), 'd1', 'push'],
    ['stripe', (body: string) => stripe(body), 'evt_1', 'charge.paid'],
    ['standard', (body: string) => standard(body), 'msg_1', 'charge.paid'],
  ])('%s: a signed body starts a run, again it is the same', async (name, sign, id, type) => {
    const body = JSON.stringify({ id: 'evt_1', type: 'charge.paid', n: 1 });
    const first = await call(name, body, sign(body));
    expect(first.status).toBe(200);
    expect(first.json()).toMatchObject({ id, type, runs: [{ trigger: name, outcome: 'created' }] });
    const again = await call(name, body, sign(body));
    expect(again.json()).toMatchObject({ runs: [{ outcome: 'duplicate' }] });
  });

  it('SEC-02 absent, paused, wrong and old are one answer, without a key and with one', async () => {
    const body = '{"a":1}';
    const old = seconds(600_000);
    const signature = github(body)['x-hub-signature-256'];
    const cases: [string, Record<string, string>][] = [
      ['absent', github(body)],
      ['off', github(body)],
      ['github', {}],
      ['github', github(body, 'd2', 'another secret of letters')],
      ['github', github(`${body} `)],
      ['github', { 'x-hub-signature-256': signature.slice(0, -2) }],
      ['github', { 'x-hub-signature-256': signature.replace('sha256=', 'sha1=') }],
      ['stripe', stripe(body, old)],
      ['stripe', stripe(body, 'soon')],
      ['stripe', { 'stripe-signature': `t=${seconds()},v0=${hmac(body, 'hex')}` }],
      ['stripe', { 'stripe-signature': `t=${seconds()},${'v1=,'.repeat(300)}` }],
      ['standard', standard(body, 'msg_2', old)],
      ['standard', { ...standard(body, 'msg_2'), 'webhook-id': 'msg_3' }],
      ['standard', { ...standard(body, 'msg_2'), 'webhook-timestamp': seconds(2_000) }],
    ];
    const answers = new Set<string>();
    for (const [name, headers] of cases) {
      const { status, text } = await call(name, body, headers);
      expect([name, headers, status]).toEqual([name, headers, 401]);
      answers.add(text.replace(/"requestId":"[^"]*"/, ''));
    }
    expect(answers.size).toBe(1);
    const elsewhere = await world.ask('/hooks/other/github', {
      key: null,
      raw: body,
      headers: github(body),
    });
    expect(elsewhere.status).toBe(401);
    expect((await world.ask('/runs?job=mail')).json<{ items: unknown[] }>().items).toHaveLength(3);
  });

  it('SEC-02 github: a request sent again under another id starts nothing, unless its key says so', async () => {
    const body = '{"ref":"main"}';
    const first = await call('github', body, github(body, 'a1'));
    expect(first.json()).toMatchObject({ id: 'a1', runs: [{ outcome: 'created' }] });
    const { run } = first.json<{ runs: { run: string }[] }>().runs[0] as { run: string };
    const again = await call('github', body, { ...github(body, 'a2'), 'x-github-event': 'ping' });
    expect(again.json()).toMatchObject({ id: 'a2', runs: [{ outcome: 'duplicate', run }] });
    const { 'x-github-delivery': _, ...unnamed } = github(body);
    const nameless = await call('github', body, unnamed);
    expect(nameless.json()).toMatchObject({ runs: [{ outcome: 'duplicate', run }] });
    const hook = { style: 'github', secret: SECRET };
    const trusting = { job: 'mail', idempotencyKey: 'event.id', hook };
    await world.ask('/triggers/trusting', { method: 'PUT', body: trusting });
    for (const id of ['a1', 'a2']) {
      const { runs } = (await call('trusting', body, github(body, id))).json<{ runs: unknown[] }>();
      expect(runs).toMatchObject([{ outcome: 'created' }]);
    }
  });

  it('SEC-02 standard: a secret that is not base64 is refused, not cut to the empty key', async () => {
    const hook = { style: 'standard', secret: 'whsec_this is not base64' };
    const body = { job: 'mail', hook };
    const saved = await world.ask('/triggers/weak', { method: 'PUT', body });
    expect([saved.status, saved.json<{ error: { field: string } }>().error.field]).toEqual([
      422,
      'definition.hook.secret',
    ]);
    // Nor does one pass that was kept for another style.
    await world.ask('/triggers/weak', {
      method: 'PUT',
      body: { ...body, hook: { ...hook, style: 'github' } },
    });
    const changed = await world.ask('/triggers/weak', {
      method: 'PUT',
      body: { job: 'mail', hook: { style: 'standard' } },
    });
    expect(changed.status).toBe(422);
  });

  it.each([
    ['github', '****************', /masked/],
    ['stripe', 'whsec_****************', /masked/],
    ['standard', 'whsec_••••••••••••••••', /masked/],
    ['github', 'sk_live_of_mine_…………………', /masked/],
    ['stripe', `whsec_${'x'.repeat(32)}`, /masked/],
    ['stripe', 'whsec_9kQzXXXXXXXXXXXXX', /masked/],
    ['standard', `whsec_${'x'.repeat(32)}`, /masked/],
    ['github', 'whsec_xxxxxxxxxxxxxxxx…', /masked/],
    ['stripe', 'whsec_4f1d9c…a0e72b', /masked/],
    ['stripe', 'whsec_...............', /masked/],
    ['stripe', 'whsec_4f1d0000000000000', /masked/],
    ['github', '<secret>', /16/],
    ['stripe', '<your-webhook-secret>', /placeholder/],
    ['stripe', 'whsec_<signing secret>', /placeholder/],
    ['github', '$'.concat('{WEBHOOK_SECRET_OF_GITHUB}'), /placeholder/],
    ['github', '{{ secrets.webhook.token }}', /placeholder/],
    ['stripe', 'whsec_abababababababab', /too simple/],
    ['github', 'aaaaaaaaaaaaaaaaaaaa', /masked/],
    ['stripe', 'short', /16/],
    ['standard', 'whsec_c2hvcnQga2V5', /too short/],
    ['standard', `whsec_${'A'.repeat(43)}=`, /masked/],
    ['standard', `whsec_${'AQAB'.repeat(11)}`, /too simple/],
    ['github', 'a secret that has a newline\n', /control character/],
    ['stripe', ' a secret that has a space', /space/],
    ['standard', 'whsec_', /16/],
  ])('SEC-02 %s: the secret %j is refused', async (style, secret, message) => {
    const saved = await world.ask('/triggers/weak', {
      method: 'PUT',
      body: { job: 'mail', hook: { style, secret } },
    });
    expect([saved.status, saved.error().field?.endsWith('hook.secret')]).toEqual([422, true]);
    expect(saved.error().message).toMatch(message);
  });

  it('a signed body of bytes is an input of bytes', async () => {
    const sent = await call('github', '\u0001\u0000', github('\u0001\u0000'));
    const { runs } = sent.json<{ runs: { run: string }[] }>();
    const kept = await world.ask(`/runs/${runs[0]?.run}/input`);
    expect(kept.text).toBe('\u0001\u0000');
  });

  it('a signed body that is no JSON is text; one that is broken JSON is told so', async () => {
    const ok = await call('github', 'hello', github('hello', 'text'));
    expect(ok.json()).toMatchObject({ runs: [{ outcome: 'created' }] });
    const broken = await call('github', '{"a":', github('{"a":', 'broken'));
    expect(broken.status).toBe(400);
    const deep = '['.repeat(100) + ']'.repeat(100);
    expect((await call('github', deep, github(deep, 'deep'))).status).toBe(400);
  });

  it('is not there for other methods', async () => {
    for (const method of ['GET', 'PUT', 'DELETE', 'HEAD']) {
      const { status } = await world.ask('/hooks/default/github', { method, key: null });
      expect([method, status]).toEqual([method, 405]);
    }
  });
});
