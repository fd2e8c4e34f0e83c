import { describe, expect, it } from 'vitest';
import { type VirtualNode, VirtualWorld } from './testing/virtual-world.ts';

/** A node with workers that finish at once, and how many facts each of its commits held. */
async function start(): Promise<{ world: VirtualWorld; node: VirtualNode; commits(): number[] }> {
  const world = new VirtualWorld();
  await world.define('acme', 'mail');
  const node = await world.startNode();
  node.attach('w', 100);
  node.finishEverything();
  await world.run(50);
  node.events.length = 0;
  const commits = () =>
    node.events.flatMap((event) => (event.kind === 'committed' ? [event.facts] : []));
  return { world, node, commits };
}

describe('ends that nobody waits for', () => {
  it('share the commit of the submissions that come a moment later', async () => {
    const { world, node, commits } = await start();
    const spec = await node.spec('acme', 'mail');
    const some = () => Array.from({ length: 8 }, () => node.submit(spec));
    const answers = some();
    // Whoever is answered submits again, in the turn after the results of the first have come.
    void answers[0]?.then(() => world.after(0, () => answers.push(...some())));
    await world.run(20);
    expect((await Promise.all(answers)).map(({ kind }) => kind)).toEqual(
      Array(16).fill('accepted'),
    );
    // Submitted and assigned; ends with the next ones submitted and assigned; the last ends alone.
    expect(commits()).toEqual([16, 24, 8]);
  });

  it('leave by themselves when nobody comes', async () => {
    const { world, node, commits } = await start();
    const spec = await node.spec('acme', 'mail');
    for (let i = 0; i < 8; i++) void node.submit(spec);
    await world.run(0);
    expect(commits()).toEqual([16]);
    await world.run(1);
    expect(commits()).toEqual([16, 8]);
    expect(node.engine.core.books.get(0)?.runs.size).toBe(0);
  });

  it('do not wait where callers come one at a time', async () => {
    const { world, node, commits } = await start();
    void node.submit(await node.spec('acme', 'mail'));
    await world.run(0);
    expect(commits()).toEqual([2, 1]);
  });

  it('leave at once when a reader waits for them to be durable', async () => {
    const { world, node, commits } = await start();
    const spec = await node.spec('acme', 'mail');
    for (let i = 0; i < 8; i++) void node.submit(spec);
    await world.run(0);
    const group = node.loop.endingGroup(0, 1);
    expect(group).not.toBeNull();
    let isDurable = false;
    void node.loop.durable(group as number).then(() => {
      isDurable = true;
    });
    await world.run(0);
    expect(isDurable).toBe(true);
    expect(commits()).toEqual([16, 8]);
  });

  it('leave at once when a queued task takes the room that one of them left', async () => {
    const { world, node, commits } = await start();
    const spec = await node.spec('acme', 'mail');
    for (let i = 0; i < 150; i++) void node.submit(spec);
    await world.run(0);
    expect(commits().length).toBeGreaterThanOrEqual(2);
    expect(node.assigned()).toHaveLength(150);
  });
});
