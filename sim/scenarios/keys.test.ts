import type { Answer } from '@signalbox/engine';
import { partitionOf } from '@signalbox/engine';
import { describe, expect, it } from 'vitest';
import { Stage } from './stage.ts';

describe('idempotency keys', () => {
  it('DUR-06 a key that memory forgot before its run was durable still names one run', async () => {
    // Memory keeps one key, so the second one pushes the first out while both wait for the commit.
    const stage = await Stage.set({ nodes: 1, engine: { keysKept: 1 } });
    const { loop } = stage.world.nodes[0]!.process!;
    const partition = partitionOf('t0', 'quick', stage.world.options.partitions);
    const read = loop.specs.newest('t0', 'quick');
    await stage.pass(100);
    const spec = (await read)!;
    const answers: Answer[] = [];
    for (const [op, key] of ['a', 'b', 'a', 'b', 'a'].entries()) {
      const input = new TextEncoder().encode(`op ${op}`);
      void loop
        .execute({ kind: 'submit', partition, spec, head: { key }, input })
        .then((answer) => answers.push(answer));
    }
    await stage.pass(1_000);
    expect(answers.map(({ kind }) => kind)).toEqual([
      'accepted',
      'accepted',
      'duplicate',
      'duplicate',
      'duplicate',
    ]);
    const seqs = answers.map((answer) => ('seq' in answer ? answer.seq : 0));
    expect(seqs).toEqual([seqs[0], seqs[1], seqs[0], seqs[1], seqs[0]]);
    const { evidence } = await stage.finish();
    expect(evidence.runs.map(({ run }) => run.keys)).toEqual([['b'], ['a']]);
    expect(evidence.runs.every(({ end }) => end?.state === 'SUCCEEDED')).toBe(true);
  });
});
