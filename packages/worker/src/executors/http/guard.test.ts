import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import type { WireHttpWork } from '@signalbox/protocol/link';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Result } from '../../executor.ts';
import { fakeAttempt } from '../testing/fake-attempt.ts';
import { TestServer } from '../testing/test-server.ts';
import { httpExecutor } from './http-executor.ts';
import type { HttpExecutorOptions, RefusedTarget } from './http-options.ts';

const PUBLIC = '93.184.216.34';
const NOT_ALLOWED = { kind: 'failed', class: 'permanent', output: null };

/** Stands for everything inside: it must never hear a byte. */
let inside: TestServer;
let refusals: RefusedTarget[];

beforeEach(async () => {
  inside = await new TestServer().start();
  refusals = [];
});
afterEach(() => inside.stop());

function run(work: WireHttpWork, options: HttpExecutorOptions = {}): Promise<Result> {
  const executor = httpExecutor({
    allowHttp: true,
    ports: 'any',
    onRefused: (refusal) => refusals.push(refusal),
    ...options,
  });
  return executor.run(fakeAttempt({ work: { http: work } }));
}

/** A dialler that never leaves the machine, and tells whom it was asked to dial. */
function noDial(dialled: string[]): NonNullable<HttpExecutorOptions['dial']> {
  return (target) => {
    dialled.push(...target.addresses);
    return connect({ host: '127.0.0.1', port: inside.port });
  };
}

describe('literals', () => {
  it.each([
    ['h41', 'http://169.254.169.254/latest/meta-data/'],
    ['h43', 'http://127.1:PORT/'],
    ['h43', 'http://017700000001:PORT/'],
    ['h43', 'http://①②⑦.⓪.⓪.①:PORT/'],
    ['h43', 'http://127。0。0。1:PORT/'],
    ['h45', 'http://[64:ff9b::a9fe:a9fe]/'],
    ['h45', 'http://[2002:7f00:1::]:PORT/'],
    ['h45', 'http://[::ffff:7f00:1]:PORT/'],
    ['h47', 'http://168.63.129.16/'],
    ['h47', 'http://100.100.100.200/'],
    ['h47', 'http://[fd00:ec2::254]/'],
    ['h47', 'http://169.254.170.2/'],
    ['h53', 'http://user:pw@127.0.0.1:PORT/'],
    ['SEC-09', 'http://localhost:PORT/'],
  ])('%s never dials %s', async (_id, text) => {
    const dialled: string[] = [];
    const url = text.replace('PORT', String(inside.port));
    const result = await run({ url }, { dial: noDial(dialled) });
    expect(result).toMatchObject(NOT_ALLOWED);
    expect(result.kind === 'failed' && result.error).toMatch(/^target_not_allowed/);
    expect([dialled, inside.connections]).toEqual([[], 0]);
    expect(refusals).toHaveLength(1);
  });

  it('h55 refuses headers that would smuggle, before anything is dialled', async () => {
    const dialled: string[] = [];
    for (const headers of [{ x: 'x\r\nX-Admin: 1' }, { Host: 'x' }, { 'Transfer-Encoding': 'x' }]) {
      const result = await run({ url: `http://${PUBLIC}/`, headers }, { dial: noDial(dialled) });
      expect(result).toMatchObject(NOT_ALLOWED);
    }
    expect(dialled).toEqual([]);
  });

  it('does not start with a block that cannot be read', () => {
    expect(() => httpExecutor({ extraBlocked: ['10.0.0.0/64'] })).toThrow('10.0.0.0/64');
  });
});

describe('names', () => {
  it.each([
    ['h49', [PUBLIC, '127.0.0.1']],
    ['h49', ['127.0.0.1', PUBLIC]],
    ['SEC-09', ['10.0.0.1']],
    ['SEC-09', ['169.254.169.254']],
    ['SEC-09', ['fd00::1']],
    ['SEC-09', ['::ffff:127.0.0.1']],
    ['SEC-09', [PUBLIC, '64:ff9b::7f00:1']],
    ['SEC-09', ['fe80::1%lo']],
  ])(
    '%s a name with %j is refused whole, and the tenant does not learn why',
    async (_id, answers) => {
      const dialled: string[] = [];
      const url = `http://name.example:${inside.port}/`;
      const result = await run({ url }, { resolve: async () => answers, dial: noDial(dialled) });
      expect(result).toEqual({
        ...NOT_ALLOWED,
        error: 'target_not_allowed: the target is not allowed',
      });
      expect([dialled, inside.connections]).toEqual([[], 0]);
      expect(refusals[0]).toMatchObject({ tenant: 'acme', host: 'name.example' });
      expect(answers).toContain(refusals[0]?.address);
    },
  );

  it('SEC-09 a name that changes its answer after the check is not asked again', async () => {
    const answers = [[PUBLIC], ['127.0.0.1']];
    const dialled: string[] = [];
    let asked = 0;
    const result = await run(
      { url: `http://rebind.example:${inside.port}/` },
      { resolve: async () => answers[asked++] ?? [], dial: noDial(dialled) },
    );
    expect([asked, dialled]).toEqual([1, [PUBLIC]]);
    // The dialler of this test goes astray: the far end is seen before a byte is written.
    expect(result).toMatchObject(NOT_ALLOWED);
    expect(refusals[0]?.why).toBe('connected to an address that was not checked');
    expect([inside.seen.length, inside.bytes]).toEqual([0, 0]);
  });

  it('SEC-09 the system resolver is never asked by the dialler', async () => {
    // With the real dialler: only the vetted address is tried, although the name means this machine.
    const result = await run(
      { url: `http://localhost.example:${inside.port}/` },
      { resolve: async () => ['127.0.0.2'], allowPrivate: true, connectMs: 500 },
    );
    expect(result).toEqual({
      kind: 'failed',
      error: 'connect_failed',
      class: 'transient',
      output: null,
    });
    expect(inside.connections).toBe(0);
  });

  it('asks anew for every attempt, and dials what was answered', async () => {
    let asked = 0;
    const executor = httpExecutor({
      allowHttp: true,
      allowPrivate: true,
      ports: 'any',
      resolve: async () => [['127.0.0.1'], ['169.254.169.254']][asked++] ?? [],
    });
    const attempt = fakeAttempt({ work: { http: { url: `http://name.example:${inside.port}/` } } });
    expect((await executor.run(attempt)).kind).toBe('succeeded');
    expect(inside.seen[0]?.headers['host']).toBe(`name.example:${inside.port}`);
    expect(await executor.run(attempt)).toMatchObject(NOT_ALLOWED);
    expect([asked, inside.connections]).toEqual([2, 1]);
    expect(inside.bytes).toBeGreaterThan(100);
  });

  it('unresolved, silent and refused look the same from outside', async () => {
    const closed = await new TestServer().start();
    const { port } = closed;
    await closed.stop();
    const url = 'http://name.example/';
    const results = [
      await run({ url }, { resolve: () => Promise.reject(new Error('ENOTFOUND name.example')) }),
      await run({ url }, { resolve: async () => [] }),
      await run({ url }, { resolve: () => new Promise(() => {}), resolveMs: 20 }),
      await run({ url: `http://127.0.0.1:${port}/` }, { allowPrivate: true }),
    ];
    for (const result of results) {
      expect(result).toEqual({
        kind: 'failed',
        error: 'connect_failed',
        class: 'transient',
        output: null,
      });
    }
    expect(refusals.map((refusal) => refusal.why).join()).toContain('ENOTFOUND');
  });

  it('an abort ends the wait for a name server', async () => {
    const asked = Promise.withResolvers<void>();
    const executor = httpExecutor({
      resolve: () => {
        asked.resolve();
        return new Promise(() => {});
      },
    });
    const attempt = fakeAttempt({ work: { http: { url: 'https://name.example/' } } });
    const running = executor.run(attempt);
    await asked.promise;
    attempt.abort();
    expect(await running).toEqual({ kind: 'stopped', output: null });
  });
});

describe('a server that takes the connection and does not speak HTTP', () => {
  let silent: Server;
  beforeEach(async () => {
    silent = createServer(() => {}).listen(0, '127.0.0.1');
    await once(silent, 'listening');
  });
  afterEach(() => silent.close());

  it('is not dialled again within the attempt when it hangs up', async () => {
    let connections = 0;
    silent.on('connection', (socket) => {
      connections++;
      socket.destroy();
    });
    const { port } = silent.address() as AddressInfo;
    const work = { url: `http://127.0.0.1:${port}/`, timeoutMs: 5_000 };
    const result = await run(work, { allowPrivate: true });
    expect(result).toMatchObject({ class: 'transient', output: null });
    expect(connections).toBe(1);
  });

  it('is given up within the time for TLS', async () => {
    const { port } = silent.address() as AddressInfo;
    const gone = Promise.withResolvers<void>();
    silent.on('connection', (socket) => {
      socket.on('error', () => {});
      socket.resume().on('close', () => gone.resolve());
    });
    const url = `https://127.0.0.1:${port}/`;
    const result = await run({ url }, { allowPrivate: true, tlsMs: 50 });
    expect(result).toMatchObject({ error: 'connect_failed', class: 'transient' });
    await gone.promise;
  });
});
