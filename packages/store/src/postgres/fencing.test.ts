import { describe, expect, it, onTestFinished } from 'vitest';
import {
  createDatabase,
  describePostgres,
  hasPostgres,
} from '../../../../tools/testing/postgres.ts';
import { part, runRow } from '../conformance/builders.ts';
import type { Store } from '../store.ts';
import { openStore } from './testing/target.ts';

const url = hasPostgres ? await createDatabase() : '';
const ROUNDS = 300;
const PARTITION = 1;

/** What one node was told was committed. */
interface Acknowledged {
  readonly commitId: string;
  readonly epoch: number;
  readonly seq: number;
}

describePostgres('two nodes that both think a partition is theirs', () => {
  describe('with appends racing take-overs', () => {
    it('DUR-04 DUR-10 DUR-13 U023 U027 C4 I7 I9 a superseded owner never commits', async () => {
      const first = await openStore({ url });
      const second = await openStore({ url, schema: first.schema });
      onTestFinished(async () => {
        await first.close();
        await second.close();
      });
      await first.ensureSegments({ untilMs: await first.now() });
      const acknowledged: Acknowledged[] = [];
      let fenced = 0;
      let round = 0;
      // Each takes the lease whenever it can, with a term that is over at once, and then commits
      // until it is told that it has been replaced.
      const fight = async (store: Store, owner: string): Promise<void> => {
        while (round++ < ROUNDS) {
          const { epoch, seq } = await take(store, owner);
          for (let next = seq + 1; ; next++) {
            const commitId = `${owner} ${epoch} ${next}`;
            if ((await commitOne(store, { commitId, epoch, seq: next })) === 'fenced') break;
            acknowledged.push({ commitId, epoch, seq: next });
            if (next - seq > 20) break;
          }
          fenced++;
        }
      };
      await Promise.all([fight(first, 'a'), fight(second, 'b')]);

      const groups = await first.readGroups({ partition: PARTITION, afterSeq: 0, limit: 1e6 });
      expect(groups.map(({ seq }) => seq)).toEqual(groups.map((_, i) => i + 1));
      for (const [i, { epoch, factCount }] of groups.entries()) {
        const before = groups[i - 1]?.epoch ?? 0;
        // An epoch begins with its fence, follows the last one, and never comes back.
        expect(epoch).toBe(factCount === 0 ? before + 1 : before);
      }
      const written = groups.filter(({ factCount }) => factCount > 0);
      const ids = (rows: readonly { commitId: string }[]) => rows.map((row) => row.commitId).sort();
      expect(ids(written)).toEqual(ids(acknowledged));
      // Rows go with their group: neither one without the other.
      expect((await first.snapshot()).runs).toHaveLength(acknowledged.length);
      expect(fenced).toBeGreaterThan(ROUNDS / 2);
      expect(acknowledged.length).toBeGreaterThan(ROUNDS);
    }, 60_000);
  });
});

async function take(store: Store, owner: string): Promise<{ epoch: number; seq: number }> {
  for (;;) {
    const request = { partition: PARTITION, owner, ttlMs: 0, commitId: `fence of ${owner}` };
    const answer = await store.acquireLease(request);
    if (answer.kind === 'acquired') return answer;
  }
}

async function commitOne(store: Store, at: Acknowledged): Promise<string> {
  const id = { ms: Date.now(), partition: PARTITION, seq: at.seq };
  const next = part({ partition: PARTITION, ...at, runs: [runRow(id)] });
  return (await store.append({ commitId: at.commitId, parts: [next] })).kind;
}
