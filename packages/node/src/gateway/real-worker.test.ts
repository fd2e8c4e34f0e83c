import {
  type HandlerContext,
  TransientError,
  type Transport,
  Worker,
  webSocketTransport,
} from '@signalbox/worker';
import { afterEach, describe, expect, it } from 'vitest';
import { connectInProcess } from './in-process.ts';
import { SocketWorld } from './testing/socket-world.ts';

let net: SocketWorld;
let worker: Worker;

afterEach(async () => {
  await worker.stop({ graceMs: 0 });
  expect(net.world.fatal).toEqual([]);
  await net.stop();
});

async function startWorker(transport: Transport): Promise<void> {
  const mail = (input: { n: number }, context: HandlerContext) => {
    context.log.info(`line ${input.n}`);
    return { twice: input.n * 2 };
  };
  worker = new Worker({ name: 'real', transport, handlers: { mail } });
  await worker.start();
}

const TRANSPORTS: [string, () => Transport][] = [
  ['in process', () => connectInProcess(net.world.gateway)],
  ['over a socket', () => webSocketTransport({ url: `http://127.0.0.1:${net.port}`, key: 'good' })],
];

describe.each(TRANSPORTS)('the worker of the package, %s', (_name, transport) => {
  it('WRK-02 attaches, runs what it is given, and is gone after its stop', async () => {
    net = await SocketWorld.start();
    await startWorker(transport());
    await net.world.loop.flushed();
    expect(net.world.gateway.workers().map(({ name }) => name)).toEqual(['real']);
    const runs = await Promise.all(
      Array.from({ length: 100 }, (_, n) =>
        net.world.submit('mail', { input: new TextEncoder().encode(JSON.stringify({ n })) }),
      ),
    );
    await Promise.all(runs.map((id) => net.world.ended(id)));
    for (const [n, id] of runs.entries()) {
      const view = await net.world.view(id);
      expect(view.state).toBe('SUCCEEDED');
      expect(new TextDecoder().decode(view.output ?? undefined)).toBe(`{"twice":${n * 2}}`);
      expect(view.tasks[0]?.attempts).toHaveLength(1);
    }
    expect(net.world.lines).toHaveLength(100);
    await worker.stop({ graceMs: 1_000 });
    expect(net.world.gateway.workers()).toEqual([]);
  });

  it('tells a handler the window of its run, also when it is tried again', async () => {
    net = await SocketWorld.start();
    const retry = { attemptsMax: 2, fixedDelayMs: 0 } as const;
    await net.world.define('due', { tasks: [{ executor: 'handler:due', retry }] });
    const seen: unknown[] = [];
    worker = new Worker({
      name: 'real',
      transport: transport(),
      handlers: {
        due: (_input: unknown, { window, attempt }: HandlerContext) => {
          seen.push(window);
          if (attempt === 1) throw new TransientError('again');
        },
      },
    });
    await worker.start();
    const at = Date.UTC(2030, 0, 15, 2);
    const window = { schedule: 'nightly', at, planned: at + 1 };
    const heads = [{ window: { ...window, catchUp: true } }, { window }, {}] as const;
    for (const head of heads) await net.world.ended(await net.world.submit('due', { head }));
    const told = { schedule: 'nightly', at: new Date(at) };
    expect(seen).toEqual([
      ...[1, 2].map(() => ({ ...told, kind: 'catchUp' })),
      ...[1, 2].map(() => ({ ...told, kind: 'scheduled' })),
      ...[1, 2].map(() => undefined),
    ]);
  });

  it('runs a task with the longest times that a definition may name, beside others', async () => {
    net = await SocketWorld.start();
    const longest = 31_536_000_000;
    const timeouts = { graceMs: longest, hardMs: longest, expectedMs: longest };
    await net.world.define('long', { tasks: [{ executor: 'handler:long', timeouts }] });
    const events: string[] = [];
    const extended: boolean[] = [];
    worker = new Worker({
      name: 'real',
      transport: transport(),
      handlers: {
        mail: () => 1,
        long: async (_input: unknown, { extend, progress }: HandlerContext) => {
          progress(0.5);
          await progressTold(net);
          extended.push(await extend(longest));
        },
      },
      onEvent: (event) => {
        if (event.kind === 'link') events.push(event.event.kind);
      },
    });
    await worker.start();
    const runs = [await net.world.submit('long'), await net.world.submit('mail')];
    await Promise.all(runs.map((id) => net.world.ended(id)));
    for (const id of runs) expect((await net.world.view(id)).state).toBe('SUCCEEDED');
    expect(extended).toEqual([true]);
    expect(events).toEqual(['connected', 'welcomed']);
  });

  it('fails an attempt that asks for infinitely more time, and says why', async () => {
    net = await SocketWorld.start();
    await net.world.define('odd', {
      tasks: [{ executor: 'handler:odd', retry: { attemptsMax: 1 } }],
    });
    worker = new Worker({
      name: 'real',
      transport: transport(),
      handlers: {
        odd: (_input: unknown, { extend }: HandlerContext) => extend(Number.POSITIVE_INFINITY),
      },
    });
    await worker.start();
    const id = await net.world.submit('odd');
    await net.world.ended(id);
    expect((await net.world.view(id)).tasks[0]?.error).toBe(
      "RangeError: the duration of extend() must be a duration from 0s to 365d, as text such as '90s' or in milliseconds, not Infinity",
    );
  });
});

/** Resolves when the engine knows of some progress: without it no time is granted. */
async function progressTold({ world }: SocketWorld): Promise<void> {
  const { core } = world.loop.engine;
  const isTold = () =>
    [...core.workers.workers.values()].some(({ attempts }) =>
      [...attempts].some(({ progress }) => progress > 0),
    );
  while (!isTold()) await new Promise((resolve) => setImmediate(resolve));
}
