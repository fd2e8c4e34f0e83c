import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { job, Signalbox, task } from '../index.ts';

const hello = job('hello', { retry: { maxAttempts: 3 } }, async (input: { name: string }) => {
  return `hello, ${input.name}`;
});
const graph = job('graph', { tasks: { first: task(() => 1), second: task(() => 2) } });
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signalbox-embedded-'));
});

afterAll(() => rm(folder, { recursive: true }));

describe('an embedded box', () => {
  it('logs the words of levels, as a node does', async () => {
    const lines: string[] = [];
    const write = vi.spyOn(process.stderr, 'write').mockImplementation((line) => {
      lines.push(String(line));
      return true;
    });
    try {
      const fails = job('fails', { retry: { maxAttempts: 1 } }, () => {
        throw new Error('odd');
      });
      await using box = await Signalbox.open('memory:');
      await box.work([fails]);
      await (await box.submit(fails)).wait();
    } finally {
      write.mockRestore();
    }
    const logged = lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line));
    expect(logged).toContainEqual(
      expect.objectContaining({
        ...{ level: 'WARN', event: 'task.quarantined' },
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      }),
    );
  });

  it('stores its data for its owner alone, without the umask of a node', async () => {
    const umask = process.umask(0o022);
    try {
      await using box = await Signalbox.open(`file:${join(folder, 'own', 'box.db')}`);
      await box.work([hello]);
      await (await box.submit(hello, { name: 'x'.repeat(400_000) })).wait();
      const modeOf = async (path: string) => (await stat(join(folder, 'own', path))).mode & 0o777;
      const found = await Promise.all(['.', 'blobs', 'box.db', 'box.db-wal'].map(modeOf));
      expect(found).toEqual([0o700, 0o700, 0o600, 0o600]);
      expect(process.umask(0o022)).toBe(0o022);
    } finally {
      process.umask(umask);
    }
  });

  it('lets its node work while all runs are listed page by page', async () => {
    const address = `file:${join(folder, 'listed.db')}`;
    const program = fileURLToPath(new URL('../test-programs/list-pages.ts', import.meta.url));
    const flags = ['--disable-warning=ExperimentalWarning'];
    const { stdout } = await promisify(execFile)(process.execPath, [...flags, program, address]);
    const { pages, turns } = JSON.parse(stdout) as { pages: number; turns: number };
    expect(pages).toBe(20);
    expect(turns).toBeGreaterThanOrEqual(pages);
  });

  it('EXT-08 has what a killed process was told is accepted', async () => {
    const address = `file:${join(folder, 'killed.db')}`;
    const program = fileURLToPath(new URL('../test-programs/submit-and-die.ts', import.meta.url));
    const child = spawn(process.execPath, [
      '--disable-warning=ExperimentalWarning',
      program,
      address,
    ]);
    let id = '';
    child.stdout.on('data', (chunk: Buffer) => {
      id += chunk;
    });
    const [, signal] = (await once(child, 'close')) as [number | null, string | null];
    expect(signal).toBe('SIGKILL');

    await using box = await Signalbox.open(address);
    await box.work([hello]);
    const run = await box.runs.handle(id.trim());
    expect(await run.result()).toBe('hello, survivor');
  });

  it('EXT-08 goes on with what a process before it accepted', async () => {
    const address = `file:${join(folder, 'again.db')}`;
    const before = await Signalbox.open(address);
    await before.apply([hello]);
    const { id } = await before.submit(hello, { name: 'later' });
    await before.close();

    await using after = await Signalbox.open(address);
    await after.work([hello]);
    const run = await after.runs.handle(id);
    expect(await run.result()).toBe('hello, later');
  });

  it('knows the live runs of its file from its first moment on', async () => {
    const address = `file:${join(folder, 'first-moment.db')}`;
    let id = '';
    for (let opened = 0; opened < 5; opened++) {
      await using box = await Signalbox.open(address);
      if (id === '') {
        await box.apply([hello]);
        id = (await box.submit(hello, { name: 'later' })).id;
      }
      expect(await box.runs.get(id)).toMatchObject({ id, state: 'PENDING' });
    }
  });

  it('keeps the version of a job that has not changed', async () => {
    await using box = await Signalbox.open('memory:');
    const versions = async (job: Parameters<Signalbox['apply']>[0][number]) =>
      (await box.apply([job])).map(({ version }) => version);
    expect(await versions(graph)).toEqual([1]);
    expect(await versions(graph)).toEqual([1]);
    expect(await versions(job('graph', { priority: 'P0' }, () => 1))).toEqual([2]);
  });

  it('refuses two jobs that offer the same handler', async () => {
    await using box = await Signalbox.open('memory:');
    const other = job('graph.first', () => 1);
    await expect(box.work([graph, other])).rejects.toThrow(
      'the jobs graph and graph.first both have a handler named graph.first',
    );
  });

  it('opens again after an attempt has asked for infinitely more time', async () => {
    const address = `file:${join(folder, 'infinite.db')}`;
    const odd = job('odd', { timeout: 60_000, retry: { maxAttempts: 1 } }, (_, ctx) => {
      ctx.progress(0.5);
      return ctx.extend(Number.POSITIVE_INFINITY);
    });
    const before = await Signalbox.open(address);
    await before.work([odd]);
    const run = await before.submit(odd);
    await expect(run.result()).rejects.toThrow(
      /the duration of extend\(\) must be a duration from 0s/,
    );
    await before.close();
    await using after = await Signalbox.open(address);
    expect((await after.runs.get(run.id)).state).toBe('FAILED');
  });

  it('opens although a partition of its file cannot be read, and says so of its runs', async () => {
    const address = `file:${join(folder, 'broken.db')}`;
    const before = await Signalbox.open(address);
    await before.apply([hello]);
    const { id } = await before.submit(hello, { name: 'later' });
    await before.close();
    const database = new DatabaseSync(join(folder, 'broken.db'));
    const tables = database
      .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'groups%'")
      .all() as { name: string }[];
    const text = Buffer.from('[1,0,[],[]]\n[Infinity]');
    const length = Buffer.alloc(4);
    length.writeUInt32BE(text.length);
    const body = Buffer.concat([length, text]);
    for (const { name } of tables) {
      database.prepare(`UPDATE ${name} SET body = ? WHERE length(body) > 0`).run(body);
    }
    database.close();
    await using after = await Signalbox.open(address);
    await expect(after.runs.get(id)).rejects.toMatchObject({ code: 'damaged' });
  });

  it.each([
    ['concurrency', Number.NaN],
    ['concurrency', Number.POSITIVE_INFINITY],
    ['concurrency', 0],
    ['concurrency', 1.5],
    ['concurrency', 100_001],
    ['gracePeriod', Number.NaN],
    ['gracePeriod', -1],
  ])('refuses to work with a %s of %d', async (field, value) => {
    await using box = await Signalbox.open('memory:');
    await expect(box.work([hello], { [field]: value })).rejects.toMatchObject({
      code: 'invalid',
      field,
    });
  });

  it('refuses a number that JSON would turn into nothing', async () => {
    await using box = await Signalbox.open('memory:');
    for (const timeout of [Number.NaN, Number.POSITIVE_INFINITY]) {
      const odd = job('odd', { timeout }, () => 1);
      await expect(box.apply([odd])).rejects.toMatchObject({
        code: 'invalid',
        field: 'tasks[0].timeout',
      });
    }
    await box.apply([hello]);
    const run = await box.submit(hello, { name: 'world' });
    await expect(run.wait({ timeout: Number.NaN })).rejects.toMatchObject({ code: 'invalid' });
  });
});
