import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import net, { type AddressInfo, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { buildAssign, buildRef, textOf } from '../testing/fake-node.ts';
import { SocketNode } from '../testing/socket-node.ts';
import { stopWorkers, track } from '../testing/start-worker.ts';
import { Worker } from '../worker.ts';
import type { WorkerEvent } from '../worker-options.ts';
import { webSocketTransport } from './web-socket.ts';

const nodes: SocketNode[] = [];
const children: ChildProcess[] = [];
afterEach(async () => {
  await stopWorkers();
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await Promise.all(nodes.splice(0).map((node) => node.close()));
});

async function listen(more: { autoPong?: boolean } = {}): Promise<SocketNode> {
  const node = await SocketNode.listen(more);
  nodes.push(node);
  return node;
}

function workerOf(node: SocketNode, onEvent?: (event: WorkerEvent) => void): Worker {
  const transport = webSocketTransport({ url: node.url, key: 'sbx_a_b' });
  const handlers = { invoice: (input: unknown) => input };
  return track(new Worker({ transport, name: 'w1', handlers, ...(onEvent ? { onEvent } : {}) }));
}

describe('over a WebSocket', () => {
  it('runs an attempt, with the key in the header', async () => {
    const node = await listen();
    await workerOf(node).start();
    node.send(buildAssign(1, { value: { big: 'x'.repeat(100_000) } }));
    const finish = await node.next('finish');
    expect(textOf((finish as { output: Uint8Array }).output)).toHaveLength(100_010);
    expect(node.authorizations).toEqual(['Bearer sbx_a_b']);
  });

  it('comes back after the socket is torn, with what it holds', async () => {
    const node = await listen();
    node.confirms = false;
    await workerOf(node).start();
    node.send(buildAssign(1, { value: 1 }));
    await node.next('finish');
    node.socket?.terminate();
    await node.next('finish', 2);
    expect(node.all('hello').map(({ frame }) => (frame as { holds: unknown }).holds)).toEqual([
      [],
      [buildRef(1)],
    ]);
    node.send({ kind: 'confirm', refs: [buildRef(1)] });
  });

  it('leaves a node that says what is not a frame, and tries again', async () => {
    const node = await listen();
    const codes: number[] = [];
    const worker = workerOf(node, (event) => {
      if (event.kind === 'link' && event.event.kind === 'disconnected') {
        codes.push(event.event.code);
      }
    });
    await worker.start();
    node.socket?.send(Buffer.from('this is not a message'));
    await node.next('hello', 2);
    expect(codes).toEqual([1008]);
  });

  it('tells why a node would not have it, and goes on trying', async () => {
    const node = await listen();
    node.rejectWith = 4401;
    const codes: number[] = [];
    const worker = workerOf(node, (event) => {
      if (event.kind !== 'link' || event.event.kind !== 'disconnected') return;
      codes.push(event.event.code);
      node.rejectWith = null;
    });
    await worker.start();
    expect(codes).toEqual([4401]);
  });

  it('gives up a connection on which nothing comes back, and opens another', async () => {
    const node = await listen({ autoPong: false });
    await workerOf(node).start();
    await node.next('hello', 2);
    expect(node.all('beat').length).toBeGreaterThanOrEqual(3);
  });

  it('gives up such a connection also while it reports new use by other nodes all the time', async () => {
    const [silent, busy] = [await listen({ autoPong: false }), await listen()];
    silent.heartbeatMs = 400;
    const transports = [silent, busy].map(({ url }) => webSocketTransport({ url, key: 'sbx_a_b' }));
    const handlers = { invoice: (input: unknown) => input };
    await track(new Worker({ transports, name: 'w1', handlers })).start();
    await Promise.all([silent.next('hello'), busy.next('hello')]);
    let isOver = false;
    const traffic = async () => {
      for (let seq = 1; !isOver; seq += 1) {
        busy.send(buildAssign(seq));
        await busy.next('finish', seq);
      }
    };
    const sent = traffic();
    await silent.next('hello', 2);
    isOver = true;
    await sent;
  });

  it('stops at once although a node never answers the handshake', async () => {
    const reached = Promise.withResolvers<Socket>();
    const silent = net.createServer((socket) => reached.resolve(socket.on('error', () => {})));
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const worker = new Worker({ transport: webSocketTransport({ url, key: 'k' }), name: 'w1' });
    void worker.start();
    const socket = await reached.promise;
    const gone = once(socket.resume(), 'close');
    await worker.stop();
    await gone;
    silent.close();
  });

  it('two workers of a process share the thread, and each ends by itself', async () => {
    const [a, b] = [await listen(), await listen()];
    const [first, second] = [workerOf(a), workerOf(b)];
    await Promise.all([first.start(), second.start()]);
    await first.stop();
    await a.next('bye');
    b.send(buildAssign(1, { value: 'still here' }));
    await b.next('finish');
    await second.stop();
    await b.next('bye');
  });
});

describe('a worker in a process of its own', () => {
  const program = fileURLToPath(new URL('../testing/worker-program.ts', import.meta.url));

  async function startProgram(): Promise<{ node: SocketNode; child: ChildProcess }> {
    const node = await listen();
    const args = ['--disable-warning=ExperimentalWarning', program, node.url, 'sbx_a_b'];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit'] });
    children.push(child);
    await node.next('beat');
    return { node, child };
  }

  it('beats on while a handler blocks the event loop', async () => {
    const { node } = await startProgram();
    node.send(buildAssign(1, { executor: 'handler:block', value: 1_500 }));
    await node.next('accept');
    const from = performance.now();
    await node.next('finish');
    const beats = node.all('beat').filter(({ at }) => at > from);
    expect(performance.now() - from).toBeGreaterThan(1_300);
    expect(beats.length).toBeGreaterThan(10);
    const gaps = beats.slice(1).map(({ at }, i) => at - (beats[i] as { at: number }).at);
    expect(Math.max(...gaps)).toBeLessThan(1_000);
  });

  it('WRK-07 on SIGTERM saves the long one, says bye and exits with 0', async () => {
    const { node, child } = await startProgram();
    node.send(buildAssign(1, { executor: 'handler:untilStopped', graceMs: 2_000 }));
    await node.next('accept');
    const exit = once(child, 'exit');
    child.kill('SIGTERM');
    expect(await exit).toEqual([0, null]);
    await vi.waitFor(() => expect(node.all('bye')).toHaveLength(1), 20_000);
    const kinds = node.heard.map(({ frame }) => frame.kind).filter((kind) => kind !== 'beat');
    expect(kinds).toEqual(['hello', 'accept', 'drain', 'checkpoint', 'finish', 'bye']);
  });
});
