import { randomBytes } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Key } from '@signalbox/protocol';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createDatabase, hasPostgres } from '../../../../tools/testing/postgres.ts';
import { type Running, World } from '../testing/child.ts';
import { LateProxy } from '../testing/late-proxy.ts';

const JOBS = fileURLToPath(new URL('../../../../examples/jobs/thumbnails.ts', import.meta.url));
const KEY = randomBytes(32).toString('hex');

const stores = [
  { name: 'a file', skip: false, flags: async () => [] },
  {
    name: 'PostgreSQL',
    skip: !hasPostgres,
    flags: async () => ['--store', await createDatabase()],
  },
];

for (const { name, skip, flags } of stores) {
  describe.skipIf(skip)(`signalbox node on ${name} and signalbox worker, apart`, () => {
    const world = new World();
    let node: Running;
    let access: Record<string, string>;
    beforeAll(async () => {
      writeFileSync(join(world.folder, 'node.yaml'), 'port: 0\nlog-level: warn\ndata: data\n');
      const args = ['node', '--config', 'node.yaml', ...(await flags())];
      node = world.start(args, { SIGNALBOX_KEY: KEY });
      const [, url = ''] = await node.printed(/node is listening at (\S+)/);
      access = { SIGNALBOX_URL: url, SIGNALBOX_KEY: KEY };
    }, 60_000);
    afterAll(() => world.remove());

    it('API-16 a worker with a key of its own runs the jobs of a module', async () => {
      const made = await world.call(['keys', 'create', '--role', 'worker', '--json'], access);
      const { secret = '' } = JSON.parse(made.out) as Key;
      expect((await world.call(['apply', '-f', JOBS, '--yes'], access)).code).toBe(0);
      const url = access['SIGNALBOX_URL'] ?? '';
      const args = ['worker', '--url', url, '--jobs', JOBS, '--name', 'w1'];
      const worker = world.start(args, { SIGNALBOX_KEY: secret });
      await worker.printed(/worker w1 is attached to http/);
      await worker.printed(
        /it offers handlers for .*thumbnail.*signalbox apply -f \S+thumbnails\.ts/,
      );
      const input = '{"file":"a.png","width":100}';
      const one = await world.call(['submit', 'thumbnail', input, '--wait'], access);
      expect(one).toMatchObject({ code: 0, out: '{"file":"a-100.png"}\n' });
      const graph = await world.call(['submit', 'album', '{"file":"a"}', '--wait'], access);
      expect(graph.code).toBe(0);
      expect((await world.call(['workers'], access)).out).toContain('w1\thealthy');
      const asWorker = { ...access, SIGNALBOX_KEY: secret };
      expect((await world.call(['submit', 'thumbnail'], asWorker)).code).toBe(4);
      expect((await worker.stop()).code).toBe(0);
    }, 60_000);

    it('stops in good order when told', async () => {
      const { code, err } = await node.stop();
      expect(code).toBe(0);
      expect(err).toContain('stopping; press Ctrl-C again to stop immediately');
    });
  });
}

it('a node goes on when nobody reads its output any more, and stops in good order', async () => {
  const world = new World();
  onTestFinished(() => world.remove());
  const node = world.start(['node', '--port', '0', '--log-level', 'debug'], { SIGNALBOX_KEY: KEY });
  const [, url = ''] = await node.printed(/node is listening at (\S+)/);
  node.child.stdout?.destroy();
  node.child.stderr?.destroy();
  const access = { SIGNALBOX_URL: url, SIGNALBOX_KEY: KEY };
  for (let i = 0; i < 5; i++) {
    const made = await world.call(['keys', 'create', '--role', 'worker', '--json'], access);
    expect(made.code).toBe(0);
  }
  expect(node.child.exitCode).toBeNull();
  expect((await node.stop()).code).toBe(0);
}, 60_000);

it('a second node on the same file is refused: its work would wait for a worker that knows the other', async () => {
  const world = new World();
  onTestFinished(() => world.remove());
  const first = world.start(['node', '--port', '0'], { SIGNALBOX_KEY: KEY });
  await first.printed(/node is listening at (\S+)/);
  const second = await world.run(['node', '--port', '0'], { SIGNALBOX_KEY: KEY });
  expect(second.code).toBe(6);
  expect(second.err).toContain('another node is already running on');
  expect((await first.stop()).code).toBe(0);
}, 60_000);

it('a run that was accepted is named where its node dies while somebody waits for it', async () => {
  const world = new World();
  onTestFinished(() => world.remove());
  const node = world.start(['node', '--port', '0'], { SIGNALBOX_KEY: KEY });
  const [, url = ''] = await node.printed(/node is listening at (\S+)/);
  const access = { SIGNALBOX_URL: url, SIGNALBOX_KEY: KEY };
  writeFileSync(join(world.folder, 'job.yaml'), 'job: nobody\n');
  expect((await world.call(['apply', '-f', 'job.yaml', '--yes'], access)).code).toBe(0);
  const waiting = world.start(['submit', 'nobody', '--wait'], access);
  await waiting.printed(/waiting: /);
  node.child.kill('SIGKILL');
  const { code, err } = await waiting.ended;
  expect(code).toBe(5);
  expect(err).toMatch(/run [0-9a-f-]{36} was accepted and goes on: .*signalbox why/);
}, 60_000);

describe('signalbox worker', () => {
  const world = new World();
  let node: Running;
  let url = '';
  const access = { SIGNALBOX_KEY: KEY };
  beforeAll(async () => {
    node = world.start(['node', '--port', '0'], access);
    [, url = ''] = await node.printed(/node is listening at (\S+)/);
  }, 60_000);
  afterAll(() => world.remove());

  it('does not start with a wrong key, or with nothing to run', async () => {
    const wrong = await world.run(['worker', '--url', url, '--jobs', JOBS], {
      SIGNALBOX_KEY: 'wrong',
    });
    expect(wrong.code).toBe(4);
    const idle = await world.call(['worker', '--url', url], access);
    expect(idle.code).toBe(2);
    expect(idle.err).toContain('this worker has nothing to run');
    const lost = await world.call(['worker', '--jobs', JOBS], access);
    expect(lost.code).toBe(2);
    expect(lost.err).toContain('no node is known here');
  });

  it('waits for a node that is not there yet, and stops when told', async () => {
    const worker = world.start(['worker', '--url', 'http://127.0.0.1:1', '--jobs', JOBS], access);
    await worker.printed(/waiting for a node: no node responds at http:\/\/127.0.0.1:1/);
    expect((await worker.stop()).code).toBe(0);
  });

  it('stops at once when told twice, although its attempt would go on', async () => {
    writeFileSync(
      join(world.folder, 'stuck.mjs'),
      `const handlers = new Map([['stuck', async (_, { log }) => {
        log.info('stuck'); await new Promise((resolve) => setTimeout(resolve, 600_000));
      }]]);
      export const stuck = { name: 'stuck', definition: {}, handlers };`,
    );
    const asked = { ...access, SIGNALBOX_URL: url };
    await world.call(['apply', '-f', 'stuck.mjs', '--yes'], asked);
    const worker = world.start(['worker', '--url', url, '--jobs', 'stuck.mjs'], access);
    await worker.printed(/is attached/);
    const { out } = await world.call(['submit', 'stuck'], asked);
    const logs = world.start(['logs', out.trim(), '-f'], asked);
    await logs.printed(/stuck/);
    await logs.stop();
    worker.child.kill('SIGINT');
    await worker.printed(/again to stop immediately/);
    // Signals that follow each other closely count as one, so the second is repeated until it counts.
    const again = setInterval(() => worker.child.kill('SIGINT'), 50);
    expect((await worker.ended).code).toBe(130);
    clearInterval(again);
  });

  it('runs commands of definitions where it is allowed to', async () => {
    const asked = { ...access, SIGNALBOX_URL: url };
    const file = join(world.folder, 'version.yaml');
    writeFileSync(file, 'job: version\ntasks:\n  - command: { argv: [node, --version] }\n');
    await world.call(['apply', '-f', 'version.yaml', '--yes'], asked);
    const flags = ['--allow-command', '--command-programs', 'node', '--command-isolation', 'none'];
    const worker = world.start(['worker', '--url', url, ...flags], access);
    await worker.printed(/is attached/);
    const { code, out, err } = await world.call(['submit', 'version', '--wait'], asked);
    expect({ code, out }, err).toEqual({ code: 0, out: expect.stringMatching(/^v\d+\./) });
    expect((await worker.stop()).code).toBe(0);
  });

  it('a node says that its port is taken', async () => {
    const { port } = new URL(url);
    const { code, err } = await world.run(['node', '--port', port, '--data', 'other'], access);
    // No wrong setting: whoever has the port may let it go.
    expect(code).toBe(6);
    expect(err).toContain(`error: port ${port} of 127.0.0.1 is in use`);
  });
});

describe('a node that must not start', () => {
  const world = new World();
  afterAll(() => world.remove());
  const start = (key: Record<string, string>, ...flags: string[]) =>
    world.call(['node', '--port', '0', '--data', 'data', ...flags], key);

  it.each([
    ['no key', {}, 'is not set'],
    ['an empty key', { SIGNALBOX_KEY: '' }, 'is not set'],
    ['a default one', { SIGNALBOX_KEY: 'changeme' }, 'is a well-known word'],
    ['a short one', { SIGNALBOX_KEY: 'k9!x2' }, 'is shorter than 32 characters'],
    ['one that repeats itself', { SIGNALBOX_KEY: 'ab'.repeat(32) }, 'repeats itself too much'],
  ])('h77 refuses %s: exit code 2, one clear line, nothing touched', async (_, key, message) => {
    const { code, out, err } = await start(key as Record<string, string>);
    expect(code).toBe(2);
    expect(out).toBe('');
    expect(err.trim().split('\n')).toHaveLength(1);
    expect(err).toContain(message);
    expect(existsSync(join(world.folder, 'data'))).toBe(false);
  });

  it('h77 refuses a weak key from a file and from a flag, and does not repeat it', async () => {
    writeFileSync(join(world.folder, 'weak.yaml'), 'key: hunter2\n');
    for (const flags of [
      ['--config', 'weak.yaml'],
      ['--key', 'hunter2'],
    ]) {
      const { code, err } = await start({}, ...flags);
      expect(code).toBe(2);
      expect(err).not.toContain('hunter2');
    }
  });

  it('h77 the process itself ends with the code', async () => {
    const { code, out, err } = await world.run(['node', '--port', '0'], {
      SIGNALBOX_KEY: 'secret',
    });
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(/^error: the root key \(SIGNALBOX_KEY\) is a well-known word[^\n]+\n$/);
  });

  it.each([
    [['--store', 'mongodb://x'], 2, 'mongodb: is not a store'],
    [['--blobs', 'https://s3.example/bucket'], 2, 'setting blobs needs s3-key-id and s3-secret'],
    [['--data', '/dev/null/x'], 2, 'error: --data: cannot use the folder /dev/null/x: '],
    [['--data', 'weak.yaml'], 2, 'error: --data: cannot use the folder '],
    [['--data', '/proc/nope'], 2, 'error: --data: cannot use the folder /proc/nope: '],
    [['--host', '203.0.113.1', '--tls-proxy'], 2, 'cannot listen on 203.0.113.1'],
    [['--host', '0.0.0.0'], 2, 'set tls-proxy (--tls-proxy, SIGNALBOX_TLS_PROXY=true)'],
  ])('%j ends with %i and one line', async (flags, expected, message) => {
    const folder = flags.includes('--data') ? [] : ['--data', 'data'];
    const args = ['node', '--port', '0', ...folder, ...flags];
    const { code, err } = await world.run(args, { SIGNALBOX_KEY: KEY });
    expect(err).toContain(message);
    expect(err).not.toContain('hunter2');
    expect(err).not.toContain('    at ');
    expect(code).toBe(expected);
  });

  it('waits for a database that is not there, with a log line, and stops when told', async () => {
    const store = 'postgres://me:hunter2@127.0.0.1:1/db';
    const args = ['node', '--port', '0', '--data', 'data', '--store', store];
    const node = world.start(args, { SIGNALBOX_KEY: KEY });
    await node.printed(/store\.unavailable(.|\n)*store\.unavailable/);
    node.child.kill('SIGTERM');
    const { out, err } = await node.ended;
    expect(out + err).toContain('postgres://127.0.0.1:1/db');
    expect(out + err).not.toContain('hunter2');
    expect(out).not.toContain('listening');
  });

  it.skipIf(!hasPostgres)(
    'starts by itself once its database can be used',
    async () => {
      const database = new URL(await createDatabase());
      const proxy = new LateProxy(Number(database.port));
      onTestFinished(() => proxy.close());
      const store = Object.assign(new URL(database), { port: `${await proxy.reserve()}` }).href;
      const node = world.start(['node', '--port', '0', '--store', store], { SIGNALBOX_KEY: KEY });
      await node.printed(/store\.unavailable/);
      await proxy.open();
      await node.printed(/node is listening at/);
      expect((await node.stop()).code).toBe(0);
    },
    60_000,
  );

  it.skipIf(!hasPostgres)('ends at once where its database does not exist', async () => {
    const store = new URL(await createDatabase());
    store.pathname = '/no-such-database';
    const args = ['node', '--port', '0', '--store', store.href];
    const { code, err } = await world.run(args, { SIGNALBOX_KEY: KEY });
    expect(err).toMatch(/^error: cannot use the store [^\n]*no-such-database[^\n]*\n$/);
    expect(code).toBe(2);
  });

  it.each(['/dev/null/x', 'file', '/proc/nope'])(
    'dev --data %s ends with 2 and one line',
    async (data) => {
      writeFileSync(join(world.folder, 'file'), '');
      const { code, err } = await world.run(['dev', '--port', '0', '--data', data]);
      expect(err).toMatch(/^error: --data: cannot use the folder [^\n]+\n$/);
      expect(code).toBe(2);
    },
  );
});
