import { CLOSE, type Ref } from '@signalbox/protocol';
import { expect } from 'vitest';
import { ROOT_KEY } from '../../../packages/node/src/api/testing/api-world.ts';
import { maskedFrame, RawSocket } from '../../../packages/node/src/gateway/testing/raw-socket.ts';
import { helloOf, TestWorker } from '../../../packages/node/src/gateway/testing/test-worker.ts';
import type { HostileWorld, Row } from '../hostile-world.ts';

const AUTHORIZED = [`Authorization: Bearer ${ROOT_KEY}`];

/** The code with which the node closes a socket that has sent these bytes. */
async function closeCodeOf(
  { port }: HostileWorld,
  bytes: Uint8Array | readonly number[],
  headers = AUTHORIZED,
): Promise<number | null> {
  const socket = await RawSocket.open(port, headers);
  expect(await socket.status()).toBe(101);
  socket.write(bytes);
  const code = await socket.closeCode();
  socket.destroy();
  return code;
}

/** A worker that finishes attempts as the test tells it, and a job for it alone. */
async function scripted(world: HostileWorld): Promise<{ worker: TestWorker; job: string }> {
  const handler = world.name();
  const { gateway } = world.api.node;
  const hello = helloOf(handler, { executors: [`handler:${handler}`] });
  const worker = await TestWorker.connect(gateway, hello);
  return { worker, job: await world.job({ tasks: [{ handler }] }) };
}

async function submitted(world: HostileWorld, job: string): Promise<string> {
  return (await world.api.ask('/runs', { body: { job } })).json<{ id: string }>().id;
}

async function stateOf(world: HostileWorld, id: string): Promise<unknown> {
  return (await world.api.ask(`/runs/${id}?wait=20s`)).json()['state'];
}

export const LINKS: readonly Row[] = [
  {
    id: 'h63',
    title: 'a silent socket is closed with 4401, garbage with 1008',
    check: async (world) => {
      const garbage = maskedFrame(0x82, new TextEncoder().encode('garbage'));
      expect(await closeCodeOf(world, garbage)).toBe(CLOSE.protocol);
      expect(await closeCodeOf(world, garbage, [])).toBe(CLOSE.protocol);
      expect(await world.silent.closeCode()).toBe(CLOSE.unauthenticated);
    },
  },
  {
    id: 'h65',
    title: 'broken framing is closed with 1002 or 1007',
    check: async (world) => {
      const text = new TextEncoder().encode('x');
      for (const [name, bytes, code] of [
        ['unmasked', [0x82, 1, 0x78], 1002],
        ['RSV bits', maskedFrame(0xf2, text), 1002],
        ['opcode 3', maskedFrame(0x83, text), 1002],
        ['bad UTF-8', maskedFrame(0x81, new Uint8Array([0xff, 0xfe])), 1007],
        ['fragmented ping', maskedFrame(0x09, text), 1002],
        ['ping of 126 bytes', maskedFrame(0x89, new Uint8Array(126)), 1002],
      ] as const) {
        expect([name, await closeCodeOf(world, bytes)]).toEqual([name, code]);
      }
    },
  },
  {
    id: 'h67',
    title: 'a result twice, of an old epoch or after a cancel ends a run once',
    check: async (world) => {
      const { worker, job } = await scripted(world);
      const first = await submitted(world, job);
      const { ref } = await worker.got('assign');
      const old = ref.with(4, ref[4] - 1) as unknown as Ref;
      worker.succeed(old);
      expect(await worker.got('stale')).toEqual({ kind: 'stale', ref: old });
      worker.succeed(ref);
      worker.succeed(ref);
      await worker.confirmed(2);
      expect(await stateOf(world, first)).toBe('SUCCEEDED');
      const again = await world.api.ask(`/runs/${first}/cancel`, { body: {} });
      expect([again.status, again.error().code]).toEqual([409, 'not_running']);

      const second = await submitted(world, job);
      const assigned = await worker.got('assign', 2);
      worker.say({ kind: 'accept', refs: [assigned.ref] });
      await world.api.node.context.loop.flushed();
      await world.api.ask(`/runs/${second}/cancel`, { body: {} });
      await worker.got('abort');
      const stopped = { kind: 'finish', ref: assigned.ref, result: { kind: 'stopped' } } as const;
      worker.say({ ...stopped, output: null });
      await worker.confirmed(3);
      worker.succeed(assigned.ref);
      await worker.confirmed(4);
      expect(await stateOf(world, second)).toBe('CANCELLED');
      const shown = await world.api.ask(`/runs/${second}`);
      const [task] = shown.json<{ tasks: { attempts: unknown[] }[] }>().tasks;
      expect(task?.attempts).toHaveLength(1);
      worker.hangUp();
    },
  },
  {
    id: 'h69',
    title: 'an impossible hello is refused, and a live worker is not displaced',
    check: async (world) => {
      const { gateway } = world.api.node;
      const { total } = helloOf('odd');
      const many = Array.from({ length: 1_000_000 }, (_, i) => `handler:h${i}`);
      for (const bad of [
        helloOf('odd', { total: { ...total, slots: 1_000_000_000 } }),
        helloOf('odd', { executors: many }),
        helloOf(''),
        helloOf('strict', { instance: 'another' }),
      ]) {
        const worker = await TestWorker.connect(gateway);
        worker.say(bad);
        expect((await worker.closed()).code).toBe(CLOSE.invalid);
      }
      expect(gateway.worker('strict')?.status).toBe('healthy');
      expect(gateway.worker('odd')).toBeNull();
    },
  },
];
