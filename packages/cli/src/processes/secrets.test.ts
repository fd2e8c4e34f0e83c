import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDatabase, hasPostgres } from '../../../../tools/testing/postgres.ts';
import { runCommand } from '../program.ts';
import { type Running, World } from '../testing/child.ts';
import { dumpFolder, dumpPostgres } from '../testing/dump-store.ts';
import { fakeApp } from '../testing/fake-app.ts';

const KEY = randomBytes(32).toString('hex');
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const newValue = () => `marker-${randomBytes(12).toString('hex')}`;

/** As text, and as the two encodings in which bytes are stored as text. */
function contains(bytes: Buffer, value: string): boolean {
  const base64 = [0, 1, 2].map((lead) => Buffer.from(value).subarray(lead).toString('base64'));
  const forms = [value, Buffer.from(value).toString('hex')];
  // The last characters of base64 depend on what follows.
  return [...forms, ...base64.map((form) => form.slice(0, -4))].some((form) =>
    bytes.includes(form),
  );
}

const jobs = (port: number) => `
name: call
tasks:
  - http:
      url: http://127.0.0.1:${port}/
      headers: { Authorization: { secret: api-token } }
---
name: digest
tasks:
  - command:
      argv: [sh, -c, 'printf %s "$API_TOKEN" | sha256sum | cut -c1-64']
      env: { API_TOKEN: { secret: api-token }, MODE: plain }
`;

const stores = [
  { name: 'one node on a file', nodes: 1, skip: false, database: async () => null },
  { name: 'three nodes on PostgreSQL', nodes: 3, skip: !hasPostgres, database: createDatabase },
];

for (const { name, nodes: count, skip, database } of stores) {
  describe.skipIf(skip)(`secrets in definitions, ${name}`, () => {
    const world = new World();
    const values = [newValue(), newValue()] as const;
    const received: IncomingHttpHeaders[] = [];
    const answers: string[] = [];
    const logs: string[] = [];
    let server: Server;
    let store: string | null;
    let nodes: Running[] = [];
    let worker: Running;
    let access: Record<string, string>[] = [];

    async function start(): Promise<void> {
      const flags = ['--http-plain', '--http-private', '--http-ports', '1-65535'];
      const common = ['--log-level', 'debug', ...flags];
      const on = store === null ? ['--data', 'data'] : ['--store', store];
      const args = ['node', '--port', '0', '--partitions', '6', ...common, ...on];
      nodes = Array.from({ length: count }, () => world.start(args, { SIGNALBOX_KEY: KEY }));
      const found = await Promise.all(nodes.map((node) => node.printed(/listening at (\S+)/)));
      const urls = found.map(([, url = '']) => url);
      access = urls.map((url) => ({ SIGNALBOX_URL: url, SIGNALBOX_KEY: KEY }));
      const own = ['--allow-command', '--allow-http', '--command-isolation', 'none'];
      worker = world.start(['worker', '--url', urls.join(','), ...own, ...common], {
        SIGNALBOX_KEY: KEY,
      });
      await worker.printed(/is attached to/);
    }

    async function stop(): Promise<void> {
      for (const each of [worker, ...nodes]) {
        const { out, err } = await each.stop();
        logs.push(out, err);
      }
    }

    /** On the nodes by turns; the answer is kept. */
    async function call(args: readonly string[], input = ''): Promise<string> {
      const environment = access[answers.length % access.length] as Record<string, string>;
      const app = fakeApp({ cwd: world.folder, environment, input });
      const code = await runCommand(app, args);
      expect(code, app.texts.err).toBe(0);
      answers.push(app.texts.out, app.texts.err);
      return app.texts.out;
    }

    /** Submits both jobs to every node, and expects that their attempts receive the value. */
    async function expectReceived(value: string): Promise<void> {
      const before = received.length;
      const runs = Array.from({ length: count }, () => [
        call(['submit', 'call', '--wait']),
        call(['submit', 'digest', '--wait']),
      ]).flat();
      const outputs = await Promise.all(runs);
      const digests = outputs.filter((_, i) => i % 2 === 1).map((text) => text.trim());
      expect(new Set(digests)).toEqual(new Set([sha256(value)]));
      const sent = received.slice(before).map(({ authorization }) => authorization);
      expect(sent).toEqual(Array.from({ length: count }, () => value));
    }

    beforeAll(async () => {
      store = await database();
      server = createServer((request, response) => {
        received.push(request.headers);
        response.end('ok');
      }).listen(0, '127.0.0.1');
      await once(server, 'listening');
      writeFileSync(join(world.folder, 'jobs.yaml'), jobs((server.address() as AddressInfo).port));
      await start();
    }, 60_000);
    afterAll(() => {
      server.close();
      world.remove();
    });

    it('SEC-04 reach the worker alone, in their newest value, also after a restart', async () => {
      await call(['secrets', 'set', 'api-token'], `${values[0]}\n`);
      await call(['apply', '-f', 'jobs.yaml', '--yes']);
      await expectReceived(values[0]);
      await call(['secrets', 'set', 'api-token'], values[1]);
      await expectReceived(values[1]);
      if (count > 1) return;
      await stop();
      await start();
      await expectReceived(values[1]);
    }, 60_000);

    it('SEC-04 fail the attempt with the reason if they do not exist', async () => {
      await call(['secrets', 'delete', 'api-token']);
      const app = fakeApp({ cwd: world.folder, environment: access[0] ?? {} });
      expect(await runCommand(app, ['submit', 'call', '--wait'])).toBe(1);
      expect(app.texts.err).toContain('secret_not_found: the tenant has no secret api-token');
      await call(['secrets', 'set', 'api-token'], values[0]);
    }, 60_000);

    it('SEC-10 are nowhere in the store, in answers and in logs', async () => {
      const { SIGNALBOX_URL: url = '' } = access.at(-1) ?? {};
      const headers = { authorization: `Bearer ${KEY}` };
      for (const path of [
        'jobs',
        'jobs/call',
        'jobs/digest/versions',
        'runs',
        'audit',
        'secrets',
      ]) {
        answers.push(await (await fetch(`${url}/api/v1/${path}`, { headers })).text());
      }
      const { items } = JSON.parse(answers.at(-3) ?? '{}') as { items: { id: string }[] };
      answers.push(
        await call(['why', items[0]?.id ?? '']),
        await call(['logs', items[0]?.id ?? '']),
      );
      const refused = await fetch(`${url}/api/v1/secrets/api-token`, {
        method: 'PUT',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify({ value: [values[0]], more: values[0] }),
      });
      expect(refused.status).toBe(422);
      answers.push(await refused.text());
      await stop();
      const stored =
        store === null ? dumpFolder(join(world.folder, 'data')) : await dumpPostgres(store);
      // The dump is a dump: it contains the reference.
      expect(contains(stored, 'api-token')).toBe(true);
      expect(answers.join('\n')).toContain('"Authorization":{"secret":"api-token"}');
      expect(answers.join('\n')).toContain('secret.update');
      expect(logs.join('\n')).toContain('attempt.changed');
      for (const value of values) {
        expect(contains(stored, value)).toBe(false);
        expect(contains(Buffer.from(answers.join('\n')), value)).toBe(false);
        expect(contains(Buffer.from(logs.join('\n')), value)).toBe(false);
      }
    }, 60_000);
  });
}
