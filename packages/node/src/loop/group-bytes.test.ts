import { refOf } from '@signalbox/engine';
import { type Commit, type Store, StoreError } from '@signalbox/store';
import { describe, expect, it } from 'vitest';
import { faulty } from './testing/faulty-store.ts';
import { type VirtualNode, VirtualWorld } from './testing/virtual-world.ts';

const KIB = 1_024;

/** A store whose next commit hangs until it is let go, and that keeps count of the bytes of each. */
class SlowDisk {
  readonly commits: number[] = [];
  #letGo: (() => void) | null = null;
  #hangsNext = false;

  replace = (real: Store): Partial<Store> => ({
    append: async (commit) => {
      if (this.#hangsNext) {
        this.#hangsNext = false;
        await new Promise<void>((resolve) => {
          this.#letGo = resolve;
        });
      }
      this.commits.push(bytesOf(commit));
      return real.append(commit);
    },
  });

  hangNext(): void {
    this.#hangsNext = true;
  }

  letGo(): void {
    this.#letGo?.();
  }
}

function bytesOf({ parts }: Commit): number {
  let bytes = 0;
  for (const part of parts) {
    bytes += part.body.length;
    for (const { input } of part.runs) bytes += input?.length ?? 0;
    for (const { output, detail } of part.ends) bytes += (output?.length ?? 0) + detail.length;
    for (const { input } of part.inboxPut ?? []) bytes += input?.length ?? 0;
  }
  return bytes;
}

const loop = { groupBytesMax: 512 * KIB, mailboxBytesMax: 2_048 * KIB };

async function slowWorld() {
  const world = new VirtualWorld();
  const disk = new SlowDisk();
  await world.define('acme', 'mail');
  const node = await world.startNode({ loop, store: (real) => faulty(real, disk.replace) });
  return { world, disk, node, spec: await node.spec('acme', 'mail') };
}

describe('a group while a commit hangs', () => {
  it('is bounded in bytes of inputs: it leaves in several commits, and what is too much is refused', async () => {
    const { world, disk, node, spec } = await slowWorld();
    disk.hangNext();
    const first = node.submit(spec);
    await world.run(10);
    const input = new Uint8Array(16 * KIB);
    const sent = Array.from({ length: 400 }, () => node.submit(spec, { input }));
    await world.run(100);
    disk.letGo();
    await world.run(1_000);
    const answers = await Promise.all(sent);
    expect(await first).toMatchObject({ kind: 'accepted' });
    const refused = answers.filter(({ kind }) => kind === 'refused');
    expect(new Set(refused.map((answer) => 'code' in answer && answer.code))).toEqual(
      new Set(['overloaded']),
    );
    // 2 MiB wait in the mailbox and 512 KiB in the group behind the one that hangs.
    expect(answers.length - refused.length).toBeGreaterThanOrEqual(128);
    expect(answers.length - refused.length).toBeLessThanOrEqual(164);
    expect(Math.max(...disk.commits)).toBeLessThanOrEqual(576 * KIB);
    expect(world.disk.snapshot().runs).toHaveLength(1 + answers.length - refused.length);
    expect(await node.submitted(spec, { input })).toMatchObject({ kind: 'accepted' });
  });

  it('is bounded in bytes of outputs, also where a worker sends many at once', async () => {
    const { world, disk, node, spec } = await slowWorld();
    const count = 200;
    node.attach('w', count);
    for (let i = 0; i < count; i++) void node.submit(spec);
    await world.run(100);
    expect(node.assigned()).toHaveLength(count);
    disk.hangNext();
    void node.submit(spec);
    await world.run(10);
    report(node, new Uint8Array(8 * KIB));
    await world.run(100);
    disk.letGo();
    await world.run(1_000);
    expect(world.disk.snapshot().ends).toHaveLength(count);
    expect(Math.max(...disk.commits)).toBeLessThanOrEqual(576 * KIB);
  });

  it('drops reports beyond what may wait, because workers repeat them', async () => {
    const { world, disk, node, spec } = await slowWorld();
    node.attach('w', 300);
    for (let i = 0; i < 300; i++) void node.submit(spec);
    await world.run(100);
    disk.hangNext();
    void node.submit(spec);
    await world.run(10);
    const output = new Uint8Array(16 * KIB);
    for (let i = 0; i < 3; i++) report(node, output);
    expect(node.saw('reportDropped')).toBe(true);
    disk.letGo();
    await world.run(1_000);
    expect(node.fatal).toEqual([]);
  });
});

/** All attempts of the node end in one message of their worker. */
function report(node: VirtualNode, output: Uint8Array): void {
  node.loop.report(
    node.assigned().map(({ worker, attempt }) => {
      const result = { kind: 'succeeded', output } as const;
      return { kind: 'finish', worker, ref: refOf(attempt), result } as const;
    }),
  );
}

describe('a group that the store will not take', () => {
  it.each([
    ['is refused as invalid', 'invalid'],
    ['is never known to be written, although the store can be read', 'unknown'],
  ] as const)('and that %s costs its partition, not the node', async (_, kind) => {
    const world = new VirtualWorld();
    // Two jobs of two partitions.
    await world.define('acme', 'mail');
    await world.define('acme', 'report');
    const poison = new Uint8Array([6, 6, 6]);
    const isPoisoned = ({ parts }: Commit): boolean =>
      parts.some(({ runs }) => runs.some(({ input }) => input?.join() === poison.join()));
    const node = await world.startNode({
      loop: { partitions: 2 },
      store: (disk) =>
        faulty(disk, (real) => ({
          append: (commit) =>
            isPoisoned(commit)
              ? Promise.reject(new StoreError(kind, 'this will not pass'))
              : real.append(commit),
        })),
    });
    await world.run(5_000);
    const bad = await node.spec('acme', 'mail');
    const good = await node.spec('acme', 'report');
    const answers = [node.submit(bad, { input: poison }), node.submit(good), node.submit(bad)];
    await world.run(30_000);
    const [poisoned, beside, after] = await Promise.all(answers);
    expect(poisoned).toMatchObject({ kind: 'refused', code: 'unavailable' });
    expect(beside).toMatchObject({ kind: 'accepted' });
    expect(after).toMatchObject({ kind: 'refused', code: 'unavailable' });
    expect(node.events).toContainEqual(
      expect.objectContaining({ kind: 'leaseLost', why: 'refused' }),
    );
    expect(node.fatal).toEqual([]);
    // The partition is taken again, without what could not be stored.
    expect(await node.submitted(bad)).toMatchObject({ kind: 'accepted' });
    expect(world.disk.snapshot().runs).toHaveLength(2);
  });
});
