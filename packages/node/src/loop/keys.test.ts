import { type Answer, entryKey, type JobSpec } from '@signalbox/engine';
import type { InboxEntry } from '@signalbox/store';
import { describe, expect, it } from 'vitest';
import { faulty } from './testing/faulty-store.ts';
import { type NodeParams, type VirtualNode, VirtualWorld } from './testing/virtual-world.ts';

async function start(params: NodeParams & { overlap?: 'skip' } = {}) {
  const world = new VirtualWorld();
  await world.define('acme', 'mail', params.overlap === undefined ? {} : { overlap: 'skip' });
  await world.define('acme', 'bill');
  const node = await world.startNode({ settings: { keysKept: 1 }, ...params });
  node.finishEverything();
  node.attach('w');
  return { world, node, spec: await node.spec('acme', 'mail') };
}

/** The key belongs to a run that has ended, and memory has forgotten it. */
async function forgotten(node: VirtualNode, spec: JobSpec, key: string): Promise<Answer> {
  const first = await node.submitted(spec, { key });
  await node.world.run(1_000);
  await node.submitted(await node.spec('acme', 'bill'), { key: `${key} is forgotten` });
  await node.world.run(1_000);
  return first;
}

/** Workers that never finish what they are given. */
function hold(node: VirtualNode): void {
  node.onEffect = () => {};
}

function entry(world: VirtualWorld, own: Partial<InboxEntry> = {}): InboxEntry {
  return {
    id: '01a1e15e-5d89-7000-a000-0000000000aa',
    partition: 0,
    kind: 'submission',
    tenant: 'acme',
    job: 'mail',
    class: 1,
    head: '',
    input: null,
    key: null,
    atMs: world.nowMs,
    ...own,
  };
}

async function runUnder(world: VirtualWorld, key: string) {
  const [held] = await world.disk.readKeys([{ tenant: 'acme', key }]);
  return held?.run;
}

describe('a submission that was compared with one whose key was taken', () => {
  it('DUR-07 becomes a run: nothing live has its unique value', async () => {
    const { world, node, spec } = await start();
    const first = await forgotten(node, spec, 'order-1');
    const again = node.submit(spec, { key: 'order-1', unique: 'nightly' });
    const beside = node.submit(spec, { key: 'order-9', unique: 'nightly' });
    const plain = node.submit(spec, { unique: 'nightly' });
    await world.run(1_000);
    expect(await again).toEqual({ ...first, kind: 'duplicate' });
    const made = await beside;
    expect(made.kind).toBe('accepted');
    expect(await plain).toEqual({ ...made, kind: 'duplicate' });
    expect(await runUnder(world, 'order-9')).toMatchObject({ seq: (made as { seq: number }).seq });
    expect(node.fatal).toEqual([]);
  });

  it('TRG-27 becomes a run of a job that excludes overlap', async () => {
    const { world, node, spec } = await start({ overlap: 'skip' });
    const first = await forgotten(node, spec, 'order-1');
    const again = node.submit(spec, { key: 'order-1' });
    const beside = node.submit(spec, { key: 'order-9' });
    await world.run(1_000);
    expect(await again).toEqual({ ...first, kind: 'duplicate' });
    expect((await beside).kind).toBe('accepted');
  });

  it('DUR-06 is answered with the run of its own key where that is taken too', async () => {
    const { world, node, spec } = await start({ overlap: 'skip' });
    const first = await forgotten(node, spec, 'order-1');
    const second = await forgotten(node, spec, 'order-2');
    const again = [node.submit(spec, { key: 'order-1' }), node.submit(spec, { key: 'order-2' })];
    await world.run(1_000);
    expect(await Promise.all(again)).toEqual([
      { ...first, kind: 'duplicate' },
      { ...second, kind: 'duplicate' },
    ]);
  });

  it('becomes a run also where it came through the inbox, and its alias leads to it', async () => {
    const { world, node, spec } = await start({ overlap: 'skip' });
    const first = await forgotten(node, spec, 'order-1');
    const waiting = entry(world, { key: 'order-9' });
    await world.disk.putInbox(waiting);
    const again = node.submit(spec, { key: 'order-1' });
    node.loop.lookIntoInbox();
    await world.run(1_000);
    expect(await again).toEqual({ ...first, kind: 'duplicate' });
    const run = await runUnder(world, entryKey(waiting.id));
    expect(run).toBeDefined();
    expect(run).toEqual(await runUnder(world, 'order-9'));
    expect(run?.seq).not.toBe((first as { seq: number }).seq);
    expect(world.disk.snapshot().inbox).toEqual([]);
    expect(world.disk.snapshot().reserved).toEqual([]);
  });
});

describe('a key that only the store remembers', () => {
  it.each([{ unique: 'u' }, {}])(
    'DUR-06 is answered with its run, whatever lives beside it: %o',
    async (own) => {
      const { world, node, spec } = await start('unique' in own ? {} : { overlap: 'skip' });
      const first = await forgotten(node, spec, 'order-1');
      hold(node);
      const live = await node.submitted(spec, { key: 'order-8', ...own });
      expect(live.kind).toBe('accepted');
      const again = await node.submitted(spec, { key: 'order-1', ...own });
      expect(again).toEqual({ ...first, kind: 'duplicate' });
      const other = await node.submitted(spec, { key: 'order-9', ...own });
      expect(other).toEqual({ ...live, kind: 'duplicate' });
      expect(world.disk.snapshot().runs).toHaveLength(3);
    },
  );

  it('DUR-06 stays with the run that it was answered with, after that has ended', async () => {
    const { world, node, spec } = await start({ overlap: 'skip' });
    hold(node);
    const live = await node.submitted(spec);
    const same = { ...live, kind: 'duplicate' };
    expect(await node.submitted(spec, { key: 'order-1' })).toEqual(same);
    expect(await node.submitted(spec, { key: 'order-1' })).toEqual(same);
    const assigned = node.assigned().at(-1);
    if (assigned === undefined) throw new Error('nothing was assigned');
    node.finishEverything();
    node.onEffect(assigned);
    await world.run(1_000);
    expect(world.disk.snapshot().ends).toHaveLength(1);
    expect(await node.submitted(spec, { key: 'order-1' })).toEqual(same);
    expect((await node.submitted(spec, { key: 'order-2' })).kind).toBe('accepted');
  });
});

describe('a key that an inbox entry reserves', () => {
  it('DUR-06 is refused to a submission of any job, which is told the entry', async () => {
    const { world, node, spec } = await start({ loop: { inboxPollMs: 600_000 } });
    const bill = await node.spec('acme', 'bill');
    const waiting = entry(world, { key: 'order-1' });
    await world.disk.putInbox(waiting);
    for (const each of [spec, bill]) {
      const answer = await node.submitted(each, { key: 'order-1' });
      expect(answer).toMatchObject({ kind: 'refused', code: 'key_reserved', entry: waiting.id });
    }
    expect(world.disk.snapshot().runs).toEqual([]);
    node.loop.lookIntoInbox();
    await world.run(100);
    const run = await runUnder(world, entryKey(waiting.id));
    expect(await node.submitted(bill, { key: 'order-1' })).toEqual({ kind: 'duplicate', ...run });
  });
});

describe('keys sent again after memory has forgotten them', () => {
  /** How often facts are looked at while this many submissions are dropped. */
  async function looksFor(count: number): Promise<number> {
    let hang: Promise<void> | null = null;
    const { world, node, spec } = await start({
      store: (disk) =>
        faulty(disk, (real) => ({
          append: async (commit) => {
            await hang;
            return real.append(commit);
          },
        })),
    });
    const send = () => Array.from({ length: count }, (_, i) => node.submit(spec, { key: `k${i}` }));
    const first = send();
    await world.run(2_000);
    let go = (): void => {};
    hang = new Promise((resolve) => {
      go = resolve;
    });
    void node.submit(spec);
    await world.run(10);
    let looks = 0;
    const take = node.engine.take.bind(node.engine);
    node.engine.take = (group) => {
      const taken = take(group);
      for (const fact of taken.facts) {
        const { kind } = fact;
        Object.defineProperty(fact, 'kind', {
          get: () => {
            looks++;
            return kind;
          },
        });
      }
      return taken;
    };
    const again = send();
    await world.run(10);
    looks = 0;
    go();
    hang = null;
    await world.run(2_000);
    const firsts = await Promise.all(first);
    const answers = await Promise.all(again);
    expect(answers).toEqual(firsts.map((answer) => ({ ...answer, kind: 'duplicate' })));
    return looks;
  }

  it('cost work in proportion to their number', async () => {
    const [few, many] = [await looksFor(250), await looksFor(1_000)];
    expect(few).toBeGreaterThan(0);
    expect(many / few).toBeLessThan(6);
  });
});
