import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { job, Signalbox } from './index.ts';
import { BothPlaces } from './test-programs/both-places.ts';

const later = job('later', () => 1);
const CLOSED = { name: 'SignalboxError', code: 'closed', status: 0 };

async function collect<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

const both = new BothPlaces();
beforeAll(() => both.start());
afterAll(() => both.stop());

describe.each(both.places)('closing the $name box', ({ name, open }) => {
  it('settles what still waits, and says what to do', async () => {
    const box = await open();
    await box.apply([later]);
    const run = await box.submit(later, undefined, { delay: 3_600_000 });
    const waits = [run.wait(), run.result(), (await box.runs.handle(run.id)).wait()];
    const lines = collect(run.logs({ follow: true }));
    const ended = Promise.allSettled([...waits, lines]);
    await box.close();
    const rejected = { status: 'rejected', reason: expect.objectContaining(CLOSED) };
    expect(await ended).toEqual([rejected, rejected, rejected, rejected]);
    await expect(waits[0]).rejects.toThrow('open or connect again');
  });

  it('refuses everything that is asked afterwards', async () => {
    const box = await open();
    await box.apply([later]);
    const run = await box.submit(later, undefined, { delay: 3_600_000 });
    await box.close();
    const asked = [
      () => box.submit(later),
      () => box.submitMany(later, [{}]),
      () => box.apply([later]),
      () => box.work([later]),
      () => box.work([]),
      () => box.runs.get(run.id),
      () => box.runs.list(),
      () => box.cancel(run.id),
      () => box.retry(run.id),
      () => box.why(`${run.id}:main`),
      () => run.wait(),
      () => run.view(),
      () => collect(box.events()),
      () => collect(run.logs()),
      () => box.submitMany(later, []),
      () => box.apply([]),
      () => box.runs.handle(run.id),
      () => collect(box.runs.all()),
      () => box.approve(`${run.id}:main`),
      () => box.reject(`${run.id}:main`),
      () => box.signal(`${run.id}:main`, {}),
      () => collect(box.logs(run.id)),
      () => collect(box.logs(run.id, { follow: true })),
      () => run.result(),
      () => run.bytes(),
      () => run.cancel(),
      () => collect(run.events()),
      () => box.submit(later, 1n as never),
    ];
    for (const ask of asked) await expect(ask(), String(ask)).rejects.toMatchObject(CLOSED);
  });

  it('takes what a handler submits while it comes to its end', async () => {
    const box = await open();
    const begun = Promise.withResolvers<void>();
    const go = Promise.withResolvers<void>();
    const parent = job('parent', async () => {
      begun.resolve();
      await go.promise;
      return (await box.submit(later, undefined, { delay: 3_600_000 })).id;
    });
    await box.work([parent]);
    await box.apply([later]);
    const run = await box.submit(parent);
    const result = run.result();
    await begun.promise;
    const closing = box.close();
    go.resolve();
    expect(await result).toEqual(expect.any(String));
    await closing;
  });

  it('leaves nothing behind that keeps the process alive', async () => {
    const program = fileURLToPath(
      new URL('./test-programs/close-while-waiting.ts', import.meta.url),
    );
    const where = name === 'embedded' ? ['memory:'] : [both.url, both.key];
    const args = ['--disable-warning=ExperimentalWarning', program, ...where];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const [printed, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
    expect([printed, code]).toEqual(['closed', 0]);
  });
});

describe.each(both.places)('a worker that the node of the $name box turns away', ({ open }) => {
  it('with a name that is none', async () => {
    await using box = await open();
    const work = box.work([later], { name: 'my worker' });
    await expect(work).rejects.toMatchObject({ name: 'SignalboxError', code: 'invalid' });
    await expect(work).rejects.toThrow('the worker name is invalid');
  });

  it('with more slots than a worker may have', async () => {
    await using box = await open();
    const work = box.work([later], { concurrency: 200_000 });
    await expect(work).rejects.toMatchObject({ name: 'SignalboxError', code: 'invalid' });
  });

  it('with the name of another worker', async () => {
    await using box = await open();
    const first = await box.work([later], { name: 'same' });
    const second = box.work([later], { name: 'same' });
    await expect(second).rejects.toMatchObject({ code: 'conflict', field: 'name' });
    await first.stop();
    await box.work([later], { name: 'same' });
  });
});

describe('a worker whose node is not there', () => {
  it('is given up when the box is closed', async () => {
    const box = await Signalbox.connect('http://127.0.0.1:9', { key: 'k' });
    const work = box.work([]);
    const settled = expect(work).rejects.toMatchObject(CLOSED);
    await box.close();
    await settled;
  });

  it('rejects changes other than submissions at once, although the node does not respond', async () => {
    const sockets: Socket[] = [];
    const server = createServer((socket) => void sockets.push(socket.on('error', () => {})));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const box = await Signalbox.connect(url, { key: 'k', retries: { maxAttempts: 1 } });
    const id = '01a1edb3-0759-7004-8000-000000000001';
    const submitted = box.submit(later).catch((error: unknown) => error);
    const cancelled = box.cancel(id);
    const closing = box.close();
    await expect(cancelled).rejects.toMatchObject({ ...CLOSED, mayBeDone: true });
    await expect(box.cancel(id)).rejects.toMatchObject(CLOSED);
    server.close();
    const hangUp = () => {
      for (const socket of sockets) socket.destroy();
    };
    server.on('connection', hangUp);
    hangUp();
    expect(await submitted).toMatchObject({ code: 'unreachable' });
    await closing;
  });

  it('is turned away by a server that is no node', async () => {
    const server = createServer((socket) => {
      socket.end('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
      socket.on('error', () => {});
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await using box = await Signalbox.connect(url, { key: 'k' });
    await expect(box.work([])).rejects.toMatchObject({ code: 'not_found' });
    server.close();
  });
});
