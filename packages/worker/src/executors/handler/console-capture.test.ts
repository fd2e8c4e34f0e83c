import { AsyncLocalStorage } from 'node:async_hooks';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { buildAssign, type FakeNode } from '../../testing/fake-node.ts';
import { startWorker, stopWorkers } from '../../testing/start-worker.ts';

afterEach(stopWorkers);

const { console } = globalThis;

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
const linesOf = (node: FakeNode, seq: number) =>
  node
    .all('log')
    .filter(({ ref }) => ref[1] === seq)
    .map(({ stream, text: bytes }) => [stream, text(bytes)]);

describe('console in a handler', () => {
  it('goes to the log of its own task, whatever runs beside it, and to the console too', async () => {
    const printed = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    const both = Promise.withResolvers<void>();
    let begun = 0;
    const { node } = await startWorker(async (input: { name: string }) => {
      console.log('begin %s', input.name, { a: 1 });
      begun += 1;
      if (begun === 2) both.resolve();
      await both.promise;
      console.error('middle', input.name);
      await new Promise((resolve) => setImmediate(resolve));
      console.dir([input.name]);
      console.table([{ name: input.name }]);
    });
    node.send(
      buildAssign(1, { value: { name: 'one' } }),
      buildAssign(2, { value: { name: 'two' } }),
    );
    await node.next('finish', 2);
    for (const [seq, name] of [
      [1, 'one'],
      [2, 'two'],
    ] as const) {
      const lines = linesOf(node, seq);
      expect(lines.slice(0, 3)).toEqual([
        ['stdout', `begin ${name} { a: 1 }`],
        ['stderr', `middle ${name}`],
        ['stdout', `[ '${name}' ]`],
      ]);
      expect(lines).toHaveLength(4);
      expect(lines[3]?.[1]).toContain(`'${name}'`);
    }
    printed.mockRestore();
  });

  it('leaves the console alone outside of handlers, and after the attempt has ended', async () => {
    const late = Promise.withResolvers<void>();
    const printed = Promise.withResolvers<void>();
    const { node } = await startWorker(() => {
      void late.promise.then(() => {
        console.info('late');
        printed.resolve();
      });
    });
    node.send(buildAssign(1));
    await node.next('finish');
    late.resolve();
    await printed.promise;
    console.info('outside');
    expect(node.all('log')).toEqual([]);
  });

  it('costs a handler that prints nothing one look-up of a context', async () => {
    const runs = vi.spyOn(AsyncLocalStorage.prototype, 'run');
    const { node } = await startWorker(() => {});
    node.send(buildAssign(1), buildAssign(2));
    await node.next('finish', 2);
    expect(runs).toHaveBeenCalledTimes(2);
    runs.mockRestore();
  });
});
