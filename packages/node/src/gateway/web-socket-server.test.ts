import { CLOSE, encodeFrames, MESSAGE_BYTES_MAX } from '@signalbox/protocol';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { maskedFrame, RawSocket } from './testing/raw-socket.ts';
import { SocketWorld } from './testing/socket-world.ts';
import { helloOf } from './testing/test-worker.ts';

let net: SocketWorld;
const raws: RawSocket[] = [];

const start = async (params: Parameters<typeof SocketWorld.start>[0] = {}) => {
  net = await SocketWorld.start(params);
};
const raw = async (headers: string[] = [], path?: string) => {
  const socket = await RawSocket.open(net.port, headers, path);
  raws.push(socket);
  return socket;
};

afterEach(async () => {
  for (const socket of raws.splice(0)) socket.destroy();
  expect(net.world.fatal).toEqual([]);
  await net.stop();
});

describe('a link over a socket', () => {
  it('carries a task from submission to its end', async () => {
    await start();
    const client = net.client();
    await client.opened;
    client.say(helloOf('w'));
    await client.got('welcome');
    const input = new Uint8Array([1, 2, 3]);
    const id = await net.world.submit('mail', { input });
    const assign = await client.got('assign');
    expect(assign.input).toEqual(input);
    const output = new Uint8Array([4]);
    client.say({ kind: 'accept', refs: [assign.ref] });
    client.say({ kind: 'finish', ref: assign.ref, result: { kind: 'succeeded' }, output });
    await client.got('confirm');
    expect(await net.world.view(id)).toMatchObject({ state: 'SUCCEEDED', output });
  });

  it('cuts what is too much for one message, and everything arrives', async () => {
    await start();
    const client = net.client();
    await client.opened;
    client.say(helloOf('w'));
    await client.got('welcome');
    const input = new Uint8Array(250_000);
    await Promise.all(Array.from({ length: 10 }, () => net.world.submit('mail', { input })));
    await client.got('assign', 10);
    expect(10 * input.length).toBeGreaterThan(2 * MESSAGE_BYTES_MAX);
  });

  it('ends with the socket: the worker is detached', async () => {
    await start();
    const client = net.client();
    await client.opened;
    client.say(helloOf('w'));
    await client.got('welcome');
    client.socket.terminate();
    await vi.waitFor(() => {
      expect(net.world.gateway.worker('w')?.status).toBe('detached');
    }, 20_000);
  });

  it('a stopping node says 1001', async () => {
    await start();
    const client = net.client();
    await client.opened;
    client.say(helloOf('w'));
    await client.got('welcome');
    await net.sockets.stop();
    expect(await client.closed).toBe(CLOSE.goingAway);
    expect(await (await raw()).status()).toBe(503);
  });
});

describe('who may attach', () => {
  it('SEC-01 a key in the header: wrong 401, without the right 403', async () => {
    await start();
    expect(await (await raw(['Authorization: Bearer wrong'])).status()).toBe(401);
    expect(await (await raw(['Authorization: Basic Zzp4'])).status()).toBe(401);
    expect(await (await raw(['Authorization: Bearer viewer'])).status()).toBe(403);
    expect(await (await raw(['Authorization: Bearer tenants'])).status()).toBe(403);
    expect(await (await raw(['Authorization: Bearer root'])).status()).toBe(101);
  });

  it('SEC-01 a key in the hello, and none in the address', async () => {
    await start();
    for (const [key, code] of [
      ['wrong', CLOSE.unauthenticated],
      [undefined, CLOSE.unauthenticated],
      ['viewer', CLOSE.forbidden],
    ] as const) {
      const client = net.client(null);
      await client.opened;
      client.say(helloOf('w', key === undefined ? {} : { key }));
      expect(await client.closed).toBe(code);
    }
    const client = net.client(null);
    await client.opened;
    client.say(helloOf('w', { key: 'good' }), { kind: 'drain' });
    await client.got('drained');
    const asked = await raw(['Authorization: Bearer good'], '/api/v1/worker?key=good');
    expect(await asked.status()).toBe(400);
    expect(await (await raw([], '/elsewhere')).status()).toBe(404);
  });

  it('F23 refuses pages of a browser and more links than it may have', async () => {
    await start({ sockets: { connectionsMax: 1 } });
    const origin = ['Authorization: Bearer good', 'Origin: https://example.com'];
    expect(await (await raw(origin)).status()).toBe(403);
    expect(await (await raw(['Authorization: Bearer good'])).status()).toBe(101);
    expect(await (await raw(['Authorization: Bearer good'])).status()).toBe(503);
  });

  it('a revoked key ends its links at once', async () => {
    await start();
    const client = net.client();
    await client.opened;
    client.say(helloOf('w'));
    await client.got('welcome');
    expect(net.sockets.closeSessionsOf('k9')).toBe(0);
    expect(net.sockets.closeSessionsOf('k1')).toBe(1);
    expect(await client.closed).toBe(CLOSE.unauthenticated);
  });
});

describe('hostile sockets', () => {
  it('h63 F23 silence ends with 4401, garbage with 1008', async () => {
    await start({ gateway: { limits: { helloMs: 50 } } });
    expect(await net.client().closed).toBe(CLOSE.unauthenticated);
    expect(await net.client(null).closed).toBe(CLOSE.unauthenticated);
    for (const garbage of [
      Buffer.from('garbage'),
      Buffer.alloc(0),
      encodeFrames([{ kind: 'bye' }]),
      Buffer.from([0, 0, 0, 2, 0x5b, 0x5b]),
      'text',
    ]) {
      for (const key of ['good', null]) {
        const client = net.client(key);
        await client.opened;
        client.socket.send(garbage);
        expect(await client.closed).toBe(CLOSE.protocol);
      }
    }
  });

  it('h65 broken framing ends with 1002 or 1007', async () => {
    await start();
    const text = new TextEncoder().encode('x');
    const cases: [string, number[], number][] = [
      ['unmasked', [0x82, 1, 0x78], 1002],
      ['RSV bits', maskedFrame(0xf2, text), 1002],
      ['opcode 3', maskedFrame(0x83, text), 1002],
      ['bad UTF-8', maskedFrame(0x81, new Uint8Array([0xff, 0xfe])), 1007],
      ['fragmented ping', maskedFrame(0x09, text), 1002],
      ['ping of 126 bytes', maskedFrame(0x89, new Uint8Array(126)), 1002],
    ];
    for (const [name, bytes, code] of cases) {
      const socket = await raw(['Authorization: Bearer good']);
      expect(await socket.status(), name).toBe(101);
      socket.write(bytes);
      expect(await socket.closeCode(), name).toBe(code);
    }
  });

  it('a message that is too large, or in too many pieces, is not gathered', async () => {
    await start({ sockets: { fragmentsMax: 4 } });
    const client = net.client();
    await client.opened;
    client.socket.send(new Uint8Array(MESSAGE_BYTES_MAX + 1));
    expect(await client.closed).toBe(CLOSE.tooLarge);
    const socket = await raw(['Authorization: Bearer good']);
    await socket.status();
    socket.write(maskedFrame(0x02, new Uint8Array(1)));
    for (let i = 0; i < 10; i++) socket.write(maskedFrame(0x00, new Uint8Array(1)));
    expect(await socket.closeCode()).toBeGreaterThanOrEqual(1002);
  });

  it('too many messages, frames, bytes or pings in a second end with 4429', async () => {
    await start({
      sockets: { messagesPerSecond: 50, framesPerSecond: 100, bytesPerSecond: 10_000 },
    });
    const attach = async () => {
      const client = net.client();
      await client.opened;
      client.say(helloOf('w'));
      await client.got('welcome');
      return client;
    };
    const drain = { kind: 'drain' } as const;
    const talker = await attach();
    for (let i = 0; i < 120; i++) talker.say(drain);
    expect(await talker.closed).toBe(CLOSE.tooFast);
    const batcher = await attach();
    batcher.say(...Array.from({ length: 300 }, () => drain));
    expect(await batcher.closed).toBe(CLOSE.tooFast);
    const heavy = await attach();
    heavy.socket.send(new Uint8Array(30_000));
    expect(await heavy.closed).toBe(CLOSE.tooFast);
    const pinger = await attach();
    for (let i = 0; i < 120; i++) pinger.socket.ping();
    expect(await pinger.closed).toBe(CLOSE.tooFast);
  });

  it('a worker that does not read is closed before it fills the memory', async () => {
    await start({
      gateway: { limits: { bufferedBytesMax: 1_000_000 } },
      sockets: { closeMs: 50 },
      engine: { reattachMs: 60_000 },
    });
    const client = net.client();
    await client.opened;
    client.say(helloOf('w', { total: { ...helloOf('w').total, slots: 1_000 } }));
    await client.got('welcome');
    client.socket.pause();
    const input = new Uint8Array(200_000);
    while (net.world.gateway.worker('w')?.status !== 'detached') {
      await Promise.all(Array.from({ length: 10 }, () => net.world.submit('mail', { input })));
    }
  });
});
