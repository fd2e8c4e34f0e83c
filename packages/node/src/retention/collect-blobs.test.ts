import { decodeBlobRef } from '@signalbox/protocol';
import { createMemoryStore } from '@signalbox/store/memory';
import { afterEach, describe, expect, it } from 'vitest';
import { MemoryBlobs } from '../blobs/memory-blobs.ts';
import { keepPayload, loadPayload } from '../operations/blobs/payloads.ts';
import { retryRun, runInput } from '../operations/index.ts';
import { caller, HOLD, SmallNode, turn } from '../operations/testing/small-node.ts';
import { sweep } from './retention.ts';

const DAY = 86_400_000;
const PARTITIONS = 4;
const SETTINGS = {
  historyMs: 90 * DAY,
  keysMs: 7 * DAY,
  factsMs: DAY,
  blobsMs: 7 * DAY,
  everyMs: 1,
};
const nodes: SmallNode[] = [];
afterEach(async () => {
  for (const node of nodes.splice(0)) await node.stop();
});

/** A node whose clocks are set by the test; the clock of its blobs is the store's. */
async function world() {
  const clock = { now: 20_000 * DAY + 5_000 };
  const disk = createMemoryStore({ now: () => clock.now });
  const blobs = new MemoryBlobs(() => clock.now);
  const start = async () => {
    const node = await SmallNode.start({ disk, blobs });
    nodes.push(node);
    return node;
  };
  const sweepAt = async (now: number) => {
    clock.now = now;
    const settings = { ...SETTINGS, factsMs: 0 };
    const params = { blobs: { blobs, partitions: PARTITIONS } };
    // The first seals what the second drops.
    const [first, second] = [
      await sweep(disk, settings, params),
      await sweep(disk, settings, params),
    ];
    if (first.kind !== 'swept' || second.kind !== 'swept') throw new Error('nothing was swept');
    return { ...second, blobs: first.blobs + second.blobs };
  };
  return { clock, disk, blobs, start, sweepAt };
}

const LARGE = new Uint8Array(300_000).fill(7);
const input = { inputBytes: LARGE };

describe('collection of blobs', () => {
  it('leaves the input of a live run, however old, and collects what was only uploaded', async () => {
    const { clock, blobs, start, sweepAt } = await world();
    const uploaded = await blobs.put('acme', new Uint8Array(10));
    clock.now += 10 * DAY;
    const node = await start();
    await node.define('mail');
    const id = await node.submit({ job: 'mail', ...input });
    expect(await sweepAt(clock.now + 400 * DAY)).toMatchObject({
      blobs: 1,
      heldBy: { openRuns: 1 },
    });
    expect(await blobs.get('acme', uploaded.name)).toBeNull();
    expect(await runInput(node.context, caller(), { id })).toHaveLength(LARGE.length);
  });

  it('leaves the output of an ended run while the run is kept, and collects it afterwards', async () => {
    const { clock, blobs, start, sweepAt } = await world();
    const node = await start();
    await node.define('mail');
    const output = await keepPayload(node.context, 'acme', LARGE);
    const id = await node.submit({ job: 'mail' });
    node.attach('w', () => ({ kind: 'succeeded', output }));
    await node.arrived(1);
    await node.context.loop.flushed();
    const from = clock.now;
    expect(await sweepAt(from + 85 * DAY)).toMatchObject({ segments: 0, blobs: 0 });
    expect(await loadPayload(node.context, 'acme', output)).toHaveLength(LARGE.length);
    expect(await sweepAt(from + 99 * DAY)).toMatchObject({ blobs: 1 });
    expect(await blobs.collect(Number.POSITIVE_INFINITY)).toBe(0);
    expect(id).not.toBe('');
  });

  it('leaves what an entry of the inbox refers to, and gives its run a blob of its own', async () => {
    const { clock, disk, blobs, start, sweepAt } = await world();
    const idle = SmallNode.idle({ disk, blobs });
    const first = await start();
    await first.define('mail');
    await first.stop();
    nodes.pop();
    const kept = await keepPayload(idle.context, 'acme', LARGE);
    const job = { kind: 'submission', tenant: 'acme', job: 'mail' } as const;
    const entry = { ...job, class: 1, head: '', key: null } as const;
    for (let partition = 0; partition < PARTITIONS; partition++) {
      const id = `0000000${partition}-0000-4000-8000-000000000000`;
      await disk.putInbox({ ...entry, id, partition, input: kept, atMs: clock.now });
    }
    expect(await sweepAt(clock.now + 400 * DAY)).toMatchObject({ blobs: 0 });
    const node = await start();
    while ((await disk.readInbox({ partitions: [0, 1, 2, 3], limit: 1 })).length > 0) await turn();
    const runs = await disk.listRuns({ tenant: 'acme', before: null, limit: 9 });
    const inputs = runs.map(({ run }) => run.input as Uint8Array);
    expect(inputs).toHaveLength(PARTITIONS);
    expect(await sweepAt(clock.now)).toMatchObject({ blobs: 1 });
    for (const each of inputs) {
      expect(decodeBlobRef(each)?.name).not.toBe(decodeBlobRef(kept)?.name);
      expect(await loadPayload(node.context, 'acme', each)).toHaveLength(LARGE.length);
    }
  });

  it('gives a retried run blobs of its own, for its input and what it keeps', async () => {
    const { clock, disk, blobs, start, sweepAt } = await world();
    const old = await start();
    await old.define('graph', {
      tasks: [
        { name: 'one', handler: 'graph' },
        { name: 'two', handler: 'graph', after: ['one'], retry: { maxAttempts: 1 } },
      ],
    });
    const output = await keepPayload(old.context, 'acme', new Uint8Array(400_000).fill(9));
    old.attach('w', ({ task }) =>
      task.spec.name === 'one'
        ? { kind: 'succeeded', output }
        : { kind: 'failed', error: 'boom', class: 'permanent' },
    );
    const id = await old.submit({ job: 'graph', ...input });
    while ((await disk.snapshot()).ends.length === 0) await turn();
    await old.stop();
    nodes.pop();
    clock.now += 50 * DAY;
    const node = await start();
    node.attach('w', HOLD);
    const again = await retryRun(node.context, caller(), { id });
    // The old run and its blobs go; the new one lives on.
    await sweepAt(clock.now + 60 * DAY);
    expect(disk.snapshot().ends).toEqual([]);
    expect(await runInput(node.context, caller(), { id: again.id })).toHaveLength(LARGE.length);
    await node.arrived(1);
    const run = [...node.context.loop.engine.core.books.values()].flatMap((book) => [
      ...book.runs.values(),
    ])[0];
    const carried = run?.tasks[0]?.output as Uint8Array;
    expect((await loadPayload(node.context, 'acme', carried)).length).toBe(400_000);
    expect(await blobs.collect(Number.POSITIVE_INFINITY)).toBeGreaterThanOrEqual(2);
  });
});
