import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assertProperty } from '../../../../tools/testing/property.ts';
import { hashText, partitionOf, preferredOwner } from './partition.ts';
import { PARTITIONS_MAX } from './run-id.ts';

/** Names as people give them: alike but for a number. */
function jobNames(count: number): { tenant: string; job: string }[] {
  return Array.from({ length: count }, (_, i) => ({ tenant: `tenant-${i % 7}`, job: `job_${i}` }));
}

/** Any sequence of code units, also such as are no valid text. */
const anyText = fc.string({ unit: fc.nat(0xffff).map((code) => String.fromCharCode(code)) });

const affix = fc.string({ maxLength: 20, size: 'max' });

const nodeNames = fc.uniqueArray(
  fc.oneof(
    fc.integer({ min: 0, max: 999 }).map((n) => `node-${n}`),
    fc.tuple(fc.nat(255), fc.nat(255)).map(([a, b]) => `10.0.${a}.${b}:7070`),
    fc.uuid(),
  ),
  { minLength: 1, maxLength: 12, size: 'max' },
);

describe('partitionOf', () => {
  it('PLC-14: spreads the jobs of a busy second so that no partition is above twice the mean', () => {
    for (const partitions of [10, 20, 50]) {
      const counts = Array<number>(partitions).fill(0);
      for (const { tenant, job } of jobNames(4_000)) {
        const partition = partitionOf(tenant, job, partitions);
        counts[partition] = (counts[partition] ?? 0) + 1;
      }
      const mean = 4_000 / partitions;
      expect(Math.max(...counts)).toBeLessThan(2 * mean);
      expect(Math.min(...counts)).toBeGreaterThan(mean / 2);
    }
  });

  it('PLC-14: names with any common prefix or suffix are spread as well', () => {
    assertProperty(
      fc.property(affix, affix, (before, after) => {
        const counts = Array<number>(20).fill(0);
        for (let i = 0; i < 2_000; i++) {
          const partition = partitionOf('acme', `${before}${i}${after}`, 20);
          counts[partition] = (counts[partition] ?? 0) + 1;
        }
        expect(Math.max(...counts)).toBeLessThan(200);
      }),
      { numRuns: 50 },
    );
  });

  it('answers one partition for a job, always the same and always within range', () => {
    assertProperty(
      fc.property(
        anyText,
        anyText,
        fc.integer({ min: 1, max: PARTITIONS_MAX }),
        (tenant, job, partitions) => {
          const partition = partitionOf(tenant, job, partitions);
          expect(Number.isInteger(partition)).toBe(true);
          expect(partition).toBeGreaterThanOrEqual(0);
          expect(partition).toBeLessThan(partitions);
          expect(partitionOf(tenant, job, partitions)).toBe(partition);
        },
      ),
    );
    // Written down: a change of the hash would move every run of every installation.
    expect(hashText('')).toBe(2_872_998_923);
    expect(partitionOf('acme', 'nightly', 64)).toBe(5);
  });
});

describe('preferredOwner', () => {
  it('names the same node, whatever the order in which the nodes are known', () => {
    assertProperty(
      fc.property(nodeNames, fc.nat(PARTITIONS_MAX - 1), (nodes, partition) => {
        const owner = preferredOwner(partition, nodes);
        expect(nodes).toContain(owner);
        expect(preferredOwner(partition, [...nodes].reverse())).toBe(owner);
        expect(preferredOwner(partition, [...nodes].sort())).toBe(owner);
      }),
    );
    expect(preferredOwner(1, [])).toBeNull();
  });

  it('moves a partition only to the node that comes, and only from the node that goes', () => {
    assertProperty(
      fc.property(nodeNames, fc.uuid(), (nodes, joining) => {
        fc.pre(!nodes.includes(joining));
        let moved = 0;
        const partitions = 1024;
        for (let partition = 0; partition < partitions; partition++) {
          const before = preferredOwner(partition, nodes);
          const after = preferredOwner(partition, [...nodes, joining]);
          if (after === before) continue;
          expect(after).toBe(joining);
          moved++;
        }
        // One of N: its fair part and a little for the dice.
        expect(moved / partitions).toBeLessThanOrEqual(1 / (nodes.length + 1) + 0.1);
      }),
      { numRuns: 40 },
    );
  });

  it('moves at most 1/N and five points when one of N nodes comes, over many partitions', () => {
    for (let n = 2; n <= 10; n++) {
      const nodes = Array.from({ length: n }, (_, i) => `node-${i + 1}`);
      let moved = 0;
      for (let partition = 0; partition < PARTITIONS_MAX; partition++) {
        const before = preferredOwner(partition, nodes.slice(0, -1));
        if (preferredOwner(partition, nodes) !== before) moved++;
      }
      expect(moved / PARTITIONS_MAX).toBeLessThanOrEqual(1 / n + 0.05);
      expect(moved / PARTITIONS_MAX).toBeGreaterThan(1 / n - 0.05);
    }
  });

  it('gives every node its part', () => {
    for (const name of [(i: number) => `node-${i}`, (i: number) => `10.0.0.${i}:7070`]) {
      const nodes = Array.from({ length: 5 }, (_, i) => name(i + 1));
      const counts = new Map<string | null, number>();
      for (let partition = 0; partition < PARTITIONS_MAX; partition++) {
        const owner = preferredOwner(partition, nodes);
        counts.set(owner, (counts.get(owner) ?? 0) + 1);
      }
      for (const node of nodes) {
        const part = (counts.get(node) ?? 0) / PARTITIONS_MAX;
        expect(part).toBeGreaterThan(0.17);
        expect(part).toBeLessThan(0.23);
      }
    }
  });
});
