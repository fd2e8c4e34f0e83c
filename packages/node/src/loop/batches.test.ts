import { type Command, type JobSpec, partitionOf } from '@signalbox/engine';
import { describe, expect, it } from 'vitest';
import { type VirtualNode, VirtualWorld } from './testing/virtual-world.ts';

async function start(params: Parameters<VirtualWorld['startNode']>[0] = {}) {
  const world = new VirtualWorld();
  await world.define('acme', 'mail');
  const node = await world.startNode(params);
  return { world, node, spec: await node.spec('acme', 'mail') };
}

/** What one request submits, under its key. */
function request(node: VirtualNode, params: { spec: JobSpec; count: number; key: string }) {
  const { spec, count, key } = params;
  const partition = partitionOf(spec.tenant, spec.job, node.loop.settings.partitions);
  return Array.from({ length: count }, (_, i): Command => {
    const head = i === 0 ? { key, batch: count } : {};
    return { kind: 'submit', partition, spec, head, input: null };
  });
}

describe('a turn of the loop', () => {
  it('decides a bounded number, however much has come at once, and all of it soon', async () => {
    const { world, node, spec } = await start({ loop: { turnFactsMax: 3_000 } });
    const { engine, loop } = node;
    let decided = 0;
    const turns: number[] = [];
    const apply = engine.apply.bind(engine);
    engine.apply = (command, now, random) => {
      if (command.kind === 'submit') decided++;
      return apply(command, now, random);
    };
    const schedule = engine.schedule.bind(engine);
    engine.schedule = (now, random) => {
      turns.push(decided);
      decided = 0;
      return schedule(now, random);
    };
    const requests = Array.from({ length: 25 }, (_, i) =>
      loop.executeAll(request(node, { spec, count: 1_000, key: `r${i}` })),
    );
    await world.run(50);
    const answers = (await Promise.all(requests)).flat();
    expect(answers.every(({ kind }) => kind === 'accepted')).toBe(true);
    expect(turns.reduce((sum, count) => sum + count, 0)).toBe(25_000);
    // The request that crosses the bound is decided whole.
    expect(Math.max(...turns)).toBeLessThanOrEqual(3_000 + 1_000);
  });
});

describe('commands that are handed in together', () => {
  it('are decided in one step and durable in one group, however little room there is', async () => {
    const { world, node, spec } = await start({ loop: { pendingFactsMax: 5 } });
    const groups = world.disk.snapshot().groups.length;
    const sent = node.loop.executeAll(request(node, { spec, count: 50, key: 'a' }));
    expect(node.loop.waiting).toBe(50);
    await world.run(50);
    const answers = await sent;
    const first = answers[0] as { seq: number; ms: number };
    expect(answers).toEqual(
      answers.map((_, i) => ({ kind: 'accepted', partition: 0, ms: first.ms, seq: first.seq + i })),
    );
    const written = world.disk.snapshot().groups.slice(groups);
    expect(written.filter(({ factCount }) => factCount > 0)).toHaveLength(1);
    expect(node.loop.waiting).toBe(0);
  });

  it('are answered in their order where they are of several partitions', async () => {
    const { world, node } = await start({ loop: { partitions: 8 } });
    const names = Array.from({ length: 20 }, (_, i) => `job-${i}`);
    const commands: Command[] = [];
    for (const name of names) {
      await world.define('acme', name);
      const spec = await node.spec('acme', name);
      const partition = partitionOf('acme', name, 8);
      commands.push({ kind: 'submit', partition, spec, head: {}, input: null });
    }
    const sent = node.loop.executeAll(commands);
    await world.run(50);
    const partitions = (await sent).map((answer) => 'partition' in answer && answer.partition);
    expect(partitions).toEqual(names.map((name) => partitionOf('acme', name, 8)));
    expect(new Set(partitions).size).toBeGreaterThan(1);
    expect(await node.loop.executeAll([])).toEqual([]);
  });

  it('are all refused where there is no room for all: a part of them would be made anew each time', async () => {
    const { world, node } = await start({ loop: { partitions: 8, mailboxMax: 5 } });
    const commands: Command[] = [];
    for (const name of Array.from({ length: 20 }, (_, i) => `job-${i}`)) {
      await world.define('acme', name);
      const spec = await node.spec('acme', name);
      const partition = partitionOf('acme', name, 8);
      commands.push({ kind: 'submit', partition, spec, head: {}, input: null });
    }
    // Between two turns the mailbox is filled by somebody else.
    node.loop.report(Array.from({ length: 5 }, () => ({ kind: 'freshen' }) as const));
    const answers = await node.loop.executeAll(commands);
    expect(answers.map((answer) => 'code' in answer && answer.code)).toEqual(
      commands.map(() => 'overloaded'),
    );
    await world.run(50);
    const sent = node.loop.executeAll(commands);
    await world.run(50);
    expect((await sent).every(({ kind }) => kind === 'accepted')).toBe(true);
  });

  it('are all refused where the node stops before they are durable', async () => {
    const { world, node, spec } = await start();
    const sent = node.loop.executeAll(request(node, { spec, count: 3, key: 'a' }));
    node.loop.halt();
    await world.run(50);
    const codes = (await sent).map((answer) => answer.kind === 'refused' && answer.code);
    expect(codes).toEqual(['unavailable', 'unavailable', 'unavailable']);
    expect(world.disk.snapshot().runs).toEqual([]);
  });
});

describe('a request whose key only the store remembers', () => {
  it('DUR-06 I2 never was: none of it runs, and each answer names the run from before', async () => {
    const { world, node, spec } = await start({ settings: { keysKept: 1 } });
    node.attach('w', 100);
    const send = async (count: number, key: string) => {
      const sent = node.loop.executeAll(request(node, { spec, count, key }));
      await world.run(50);
      return sent;
    };
    const first = await send(10, 'a');
    await send(1, 'b');
    const again = node.loop.executeAll(request(node, { spec, count: 10, key: 'a' }));
    const beside = node.submit(spec);
    await world.run(50);
    expect(node.saw('keyTaken')).toBe(true);
    expect(await again).toEqual(first.map((answer) => ({ ...answer, kind: 'duplicate' })));
    expect((await beside).kind).toBe('accepted');
    expect(world.disk.snapshot().runs).toHaveLength(12);
    expect(node.assigned()).toHaveLength(12);
    expect(node.engine.core.workers.workers.get('w')?.free.slots).toBe(88);
    expect(node.fatal).toEqual([]);
  });

  it('DUR-06 leaves the backlog in the store as it was counted', async () => {
    const settings = { keysKept: 1, queueWindow: 5, pageSize: 5, classWindow: 1_000 };
    const { world, node, spec } = await start({ settings });
    const send = async (count: number, key: string) => {
      const sent = node.loop.executeAll(request(node, { spec, count, key }));
      await world.run(50);
      return sent;
    };
    await send(30, 'a');
    await send(1, 'b');
    const parked = world.disk.snapshot().parked.length;
    await send(30, 'a');
    expect(node.saw('keyTaken')).toBe(true);
    expect(world.disk.snapshot().parked).toHaveLength(parked);
    node.finishEverything();
    node.attach('w', 3);
    await world.run(5_000);
    expect(world.disk.snapshot().ends).toHaveLength(31);
    expect(node.engine.core.books.get(0)?.runs.size).toBe(0);
    expect(node.fatal).toEqual([]);
  });
});
