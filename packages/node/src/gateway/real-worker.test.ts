import { type HandlerContext, type Transport, Worker, webSocketTransport } from '@signalbox/worker';
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
});
