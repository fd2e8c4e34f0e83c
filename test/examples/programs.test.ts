import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { startNode } from '@signalbox/node';
import { Signalbox } from 'signalbox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const EXAMPLES = resolve(import.meta.dirname, '../../examples');
const KEY = randomBytes(24).toString('base64url');
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signalbox-examples-'));
});

afterAll(() => rm(folder, { recursive: true }));

/** Runs a program in a folder of its own, as a user would. */
function start(path: string, env: Record<string, string> = {}) {
  const program = join(EXAMPLES, path);
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program], {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let errors = '';
  const firstLine = Promise.withResolvers<string>();
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk;
    if (output.includes('\n')) firstLine.resolve(output.slice(0, output.indexOf('\n')));
  });
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk;
  });
  const ended = new Promise<{ code: number | null; output: string; errors: string }>((done) => {
    child.on('close', (code) => {
      firstLine.reject(new Error(errors));
      done({ code, output, errors });
    });
  });
  firstLine.promise.catch(() => {});
  return { child, firstLine: firstLine.promise, ended };
}

describe('hello', () => {
  it('EXT-08 runs a durable job from a file in ten lines, in a process that then ends', async () => {
    const source = await readFile(join(EXAMPLES, 'hello/hello.ts'), 'utf8');
    const lines = source.split('\n').filter((line) => line.trim() !== '');
    expect(lines.length).toBeLessThanOrEqual(10);
    expect(await start('hello/hello.ts').ended).toEqual({
      code: 0,
      output: 'hello, world\n',
      errors: '',
    });
    await using box = await Signalbox.open(`file:${join(folder, 'signalbox.db')}`);
    const { items } = await box.runs.list();
    expect(items.map(({ job, state }) => [job, state])).toEqual([['greet', 'SUCCEEDED']]);
  });

  it('EXT-08 goes to a server with one other line', async () => {
    const local = (await readFile(join(EXAMPLES, 'hello/hello.ts'), 'utf8')).split('\n');
    const remote = (await readFile(join(EXAMPLES, 'hello/hello-server.ts'), 'utf8')).split('\n');
    expect(remote.length).toBe(local.length);
    const different = local.flatMap((line, i) => (line === remote[i] ? [] : [i]));
    expect(different).toHaveLength(1);
    expect(local[different[0] as number]).toContain('Signalbox.open(');
    expect(remote[different[0] as number]).toContain('Signalbox.connect(');

    const http = { host: '127.0.0.1', port: 0 };
    const node = await startNode({ store: 'memory:', http, rootKey: KEY });
    try {
      await node.ready();
      const { ended } = start('hello/hello-server.ts', {
        SIGNALBOX_URL: node.url as string,
        SIGNALBOX_KEY: KEY,
      });
      expect(await ended).toEqual({ code: 0, output: 'hello, world\n', errors: '' });
    } finally {
      await node.stop();
    }
  });
});

describe('embedded', () => {
  it('EXT-08 works in the process of a web service, and leaves in good order', async () => {
    const service = start('embedded/orders.ts', { PORT: '0' });
    const { port } = JSON.parse(await service.firstLine) as { port: number };
    const order = async (id: string, email: string) => {
      const body = JSON.stringify({ id, email });
      const response = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body });
      expect(response.status).toBe(202);
      return (await response.json()) as { run: string; isNew: boolean };
    };
    const first = await order('1', 'ada@example.org');
    const again = await order('1', 'ada@example.org');
    expect([first.isNew, again.isNew, again.run]).toEqual([true, false, first.run]);
    const wrong = await order('2', 'nowhere');
    const stateOf = async ({ run }: { run: string }) =>
      (await fetch(`http://127.0.0.1:${port}/${run}`)).json();
    expect(await stateOf(first)).toEqual({ state: 'SUCCEEDED' });
    expect(await stateOf(wrong)).toEqual({ state: 'FAILED' });
    service.child.kill('SIGTERM');
    expect(await service.ended).toMatchObject({ code: 0, errors: '' });

    await using box = await Signalbox.open(`file:${join(folder, 'orders.db')}`);
    const sent = await box.runs.handle(first.run);
    expect(await sent.result()).toEqual({
      sentTo: 'ada@example.org',
      key: `${first.run}:main`,
    });
    const failed = await box.runs.handle(wrong.run);
    await expect(failed.result()).rejects.toMatchObject({ errorClass: 'permanent', attempts: 1 });
  });
});
