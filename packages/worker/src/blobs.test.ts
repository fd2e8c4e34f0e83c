import { createHash } from 'node:crypto';
import {
  type BlobRef,
  decodeBlobRef,
  encodeBlobRef,
  PAYLOAD_INLINE_MAX,
} from '@signalbox/protocol/link';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Blobs } from './blobs.ts';
import { TransientError } from './errors.ts';
import { buildAssign, textOf } from './testing/fake-node.ts';
import { gate, startWorker, stopWorkers } from './testing/start-worker.ts';

afterEach(stopWorkers);

class MemoryBlobs implements Blobs {
  readonly kept = new Map<string, Uint8Array>();
  failures = 0;

  async get(tenant: string, name: string): Promise<Uint8Array | null> {
    return this.kept.get(`${tenant}/${name}`) ?? null;
  }

  async put(tenant: string, bytes: Uint8Array): Promise<BlobRef> {
    if (this.failures > 0) {
      this.failures -= 1;
      throw new TransientError('the node is away');
    }
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    this.kept.set(`${tenant}/${sha256}`, bytes);
    return { name: sha256, bytes: bytes.length, sha256 };
  }
}

const large = new Uint8Array(PAYLOAD_INLINE_MAX + 1).fill(7);

describe('large payloads', () => {
  it('an input by reference reaches the handler as bytes, a large output goes to the blob store', async () => {
    const blobs = new MemoryBlobs();
    const input = encodeBlobRef(await blobs.put('acme', large));
    const { node } = await startWorker((_input, context) => context.inputBytes, { blobs });
    node.send(buildAssign(1, { input }));
    const { output } = await node.next('finish');
    const ref = decodeBlobRef(output as Uint8Array);
    expect(ref?.bytes).toBe(large.length);
    expect(await blobs.get('acme', ref?.name ?? '')).toEqual(large);
  });

  it('WRK-09 an output is kept until the blob store is back', async () => {
    const blobs = new MemoryBlobs();
    blobs.failures = 3;
    const { node } = await startWorker(() => large, { blobs });
    node.send(buildAssign(1));
    expect((await node.next('finish')).result.kind).toBe('succeeded');
    expect(blobs.failures).toBe(0);
  });

  it('an output that looks like a reference is stored as the payload it is', async () => {
    const blobs = new MemoryBlobs();
    const forged = encodeBlobRef({ name: 'of-another-tenant', bytes: 1, sha256: 'x' });
    const { node } = await startWorker(() => forged, { blobs });
    node.send(buildAssign(1));
    const ref = decodeBlobRef((await node.next('finish')).output as Uint8Array);
    expect(await blobs.get('acme', ref?.name ?? '')).toEqual(forged);
  });

  it('an input that is gone or changed fails the attempt, and may be tried again', async () => {
    const blobs = new MemoryBlobs();
    const ref = await blobs.put('acme', large);
    blobs.kept.set(`acme/${ref.name}`, new Uint8Array([1]));
    const { node } = await startWorker(() => 1, { blobs });
    node.send(
      buildAssign(1, { input: encodeBlobRef(ref) }),
      buildAssign(2, { input: encodeBlobRef({ ...ref, name: 'absent' }) }),
    );
    await node.next('finish', 2);
    for (const { result } of node.all('finish'))
      expect(result).toMatchObject({ class: 'transient' });
  });

  it.each([
    ['lost', null],
    ['cut short', large.subarray(1)],
    ['changed in one byte', Uint8Array.from(large, (byte, i) => (i === 9 ? 8 : byte))],
  ])('WRK-05 WRK-06 a checkpoint that is %s means the start, not a failure', async (_how, kept) => {
    const blobs = new MemoryBlobs();
    const ref = await blobs.put('acme', large);
    blobs.kept.clear();
    if (kept !== null) blobs.kept.set(`acme/${ref.name}`, kept);
    const { node } = await startWorker((_input, context) => context.checkpoint.load(), { blobs });
    node.send(buildAssign(1, { checkpoint: encodeBlobRef(ref) }));
    expect(textOf((await node.next('finish')).output)).toBe('null');
  });

  it('WRK-05 WRK-06 a large checkpoint goes to the blob store, and the next attempt loads it', async () => {
    const blobs = new MemoryBlobs();
    const { node } = await startWorker(
      async (_input, { checkpoint }) => {
        const before = checkpoint.load<string>();
        if (before === null) await checkpoint.save('x'.repeat(10_000_000));
        return before?.length ?? 0;
      },
      { blobs },
    );
    node.send(buildAssign(1));
    const { state } = await node.next('checkpoint');
    expect(state.length).toBeLessThan(500);
    node.send(buildAssign(2, { checkpoint: state }));
    expect(textOf((await node.next('finish', 2)).output)).toBe('10000000');
  });

  it('a checkpoint that was saved earlier does not replace a later one, however long it takes', async () => {
    const upload = Promise.withResolvers<void>();
    const stored = new MemoryBlobs();
    const blobs: Blobs = {
      get: (tenant, name) => stored.get(tenant, name),
      put: (tenant, bytes) => upload.promise.then(() => stored.put(tenant, bytes)),
    };
    const { node } = await startWorker(
      async (_input, { checkpoint }) => {
        const slow = checkpoint.save('x'.repeat(PAYLOAD_INLINE_MAX));
        await checkpoint.save('newer');
        upload.resolve();
        await slow;
      },
      { blobs },
    );
    node.send(buildAssign(1));
    await node.next('finish');
    expect(node.all('checkpoint').map(({ state }) => textOf(state))).toEqual(['"newer"']);
  });

  it('an offered state that cannot be stored does not hold up the result', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const put = vi.fn(() => new Promise<never>(() => {}));
    const { handler, begun, open } = gate();
    const { node } = await startWorker(
      (input, context) => {
        context.checkpoint.offer(() => 'x'.repeat(PAYLOAD_INLINE_MAX));
        return handler(input, context);
      },
      { blobs: { get: async () => null, put } },
    );
    node.send(buildAssign(1));
    await begun;
    vi.advanceTimersByTime(30_000);
    expect(put).toHaveBeenCalledTimes(1);
    open('done');
    await vi.waitFor(() => {
      vi.advanceTimersByTime(1_000);
      expect(node.all('finish')).toHaveLength(1);
    }, 20_000);
    expect(textOf(node.all('finish')[0]?.output)).toBe('"done"');
  });

  it('a large output without a blob store is a failure for good', async () => {
    const { node } = await startWorker(() => large);
    node.send(buildAssign(1));
    expect((await node.next('finish')).result).toMatchObject({ class: 'permanent' });
  });
});
