import { describe, expect, it } from 'vitest';
import { propertySeed } from '../../../../tools/testing/property.ts';
import type { Fact } from '../facts/facts.ts';
import { Book } from '../model/book.ts';
import { refOf } from '../model/run.ts';
import { buildSpec } from '../testing/builders.ts';
import { Chaos } from '../testing/chaos.ts';
import { Harness } from '../testing/harness.ts';

/** Follows the facts alone: at every moment a task has at most one live assignment. */
class Assignments {
  readonly live = new Map<string, number>();
  readonly tokens = new Set<string>();
  most = 0;

  see(fact: Fact): void {
    if (fact.kind === 'runEnded') return this.see(fact.last);
    if (!('attempt' in fact)) return;
    const key = `${fact.partition}/${fact.seq}/${fact.task}`;
    if (fact.kind === 'taskAssigned') {
      expect(this.live.has(key), `${key} is assigned twice`).toBe(false);
      const token = `${fact.partition}/${fact.token}`;
      expect(this.tokens.has(token), `token ${token} is used twice`).toBe(false);
      this.tokens.add(token);
      this.live.set(key, fact.attempt);
      this.most = Math.max(this.most, this.live.size);
    } else if (isOutcome(fact) && fact.attempt > 0) {
      expect(this.live.get(key), `${key} ends an attempt that is not live`).toBe(fact.attempt);
      this.live.delete(key);
    }
  }
}

function isOutcome(fact: Fact): boolean {
  return !['taskStarted', 'taskCheckpointed', 'taskExtended'].includes(fact.kind);
}

describe('an assignment', () => {
  it('PLC-11: is the only live one of its task, whatever workers do', () => {
    const first = propertySeed();
    for (let seed = first; seed < first + 4; seed++) {
      const chaos = new Chaos(seed);
      const assignments = new Assignments();
      for (let i = 0; i < 2_000; i++) for (const fact of chaos.act()) assignments.see(fact);
      expect(assignments.tokens.size).toBeGreaterThan(200);
      expect(assignments.most).toBeGreaterThan(5);
    }
  });

  it('PLC-11: 1,000 tasks on five schedulers over one fleet run once each', () => {
    const nodes = [0, 1, 2, 3, 4].map((partition) => new Harness({ partitions: [partition] }));
    const spec = buildSpec();
    for (const [partition, node] of nodes.entries()) {
      for (let w = 0; w < 10; w++) node.addWorker({ name: `w${w}`, total: { slots: 20 } });
      for (let i = 0; i < 200; i++) node.submit({ spec, partition });
    }
    const ended = new Set<string>();
    while (ended.size < 1_000) {
      const handedOut = nodes.flatMap((node, partition) =>
        node.step().effects.flatMap((effect) => {
          return effect.kind === 'assign' ? [{ node, partition, attempt: effect.attempt }] : [];
        }),
      );
      expect(handedOut.length).toBeGreaterThan(0);
      for (const { node, partition, attempt } of handedOut) {
        const key = `${partition}/${attempt.task.run.seq}`;
        expect(ended.has(key)).toBe(false);
        ended.add(key);
        node.succeed(attempt);
        // Somebody else's attempt means nothing to the others, and they say nothing about it.
        const other = nodes[(partition + 1) % 5]!;
        const before = other.flush();
        expect(before.facts.every((fact) => fact.partition !== partition)).toBe(true);
        other.succeed(attempt);
        expect(other.flush()).toEqual({ facts: [], effects: [] });
      }
    }
    for (const node of nodes) {
      node.flush();
      expect(node.factsOf('runEnded').length).toBe(200);
    }
  });

  it('PLC-11: of an earlier owner of the partition cannot end the one of a later owner', () => {
    const [before, after] = [new Harness(), new Harness({ partitions: [] })];
    before.addWorker();
    before.submit();
    before.step();
    const old = refOf(before.live()[0]!);
    after.apply({ kind: 'takePartition', book: new Book(0, 2) });
    after.addWorker();
    const run = after.submit();
    after.step();
    const { attempt } = run.tasks[0]!;
    expect(refOf(attempt!)).toEqual({ ...old, epoch: 2 });
    const result = { kind: 'succeeded', output: null } as const;
    after.apply({ kind: 'finish', worker: 'w1', ref: old, result });
    expect(run.tasks[0]).toMatchObject({ state: 'ASSIGNED', attempt });
    expect(after.flush().effects).toEqual([{ kind: 'stale', worker: 'w1', ref: old }]);
  });
});
