import { expect, it } from 'vitest';
import { classOfPriority } from '../operations/common/priority-class.ts';
import { VirtualWorld } from './testing/virtual-world.ts';

const bad = (message: string) => new Error(message);

it('PRI-03 runs under numbers from 1 to 10 start by priority, then by the time at which they are due', async () => {
  const world = new VirtualWorld();
  const numbers = Array.from({ length: 10 }, (_, i) => i + 1);
  for (const n of numbers) {
    await world.define('acme', `job-${n}`, { class: classOfPriority(n, bad) ?? 1 });
  }
  const node = await world.startNode();
  const submitted: { n: number; dueAt: number; seq: number }[] = [];
  for (const [i, n] of [...numbers, ...numbers].entries()) {
    // Neither the order of submission nor that of the numbers.
    const dueAt = world.nowMs + 1_000 + ((i * 7) % 20) * 100;
    const answer = await node.submitted(await node.spec('acme', `job-${n}`), { dueAt });
    if (answer.kind !== 'accepted') throw new Error('not accepted');
    submitted.push({ n, dueAt, seq: answer.seq });
  }
  await world.run(10_000);
  node.finishEverything();
  node.attach('w', 1);
  await world.run(1_000);
  const started = node.assigned().map(({ attempt }) => attempt.task.run.seq);
  const rank = (n: number): number => classOfPriority(n, bad) ?? 1;
  const expected = submitted.toSorted((a, b) => rank(a.n) - rank(b.n) || a.dueAt - b.dueAt);
  expect(started).toEqual(expected.map(({ seq }) => seq));
});
