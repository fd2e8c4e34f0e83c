import { describe, expect, it } from 'vitest';
import type { Evidence, JournalGroup } from '../evidence.ts';
import { fairShare } from './fair-share.ts';

/** Runs of t0 are in partition 4, runs of t3 in partition 0. */
const FIRST = 4;
const OTHER = 0;
const PLACES = 40;

const submitted = (seq: number) => ({ kind: 'submittedAt', run: { seq }, lane: null });
const ended = (seq: number) => ({ kind: 'endedAt', seq });
const assigned = (seq: number) => ({ kind: 'fact', fact: { kind: 'taskAssigned', seq } });
const each = <T>(of: (seq: number) => T): T[] => Array.from({ length: PLACES }, (_, i) => of(i));

/** Commits, each with what it says of partitions; all that t0 submits is there from the start. */
function problemsOf(...commits: { [partition: number]: object[] }[]): readonly string[] {
  const runOf = (tenant: string, partition: number) => (seq: number) => ({
    run: { id: { ms: 1_000, partition, seq }, tenant, job: 'bulk', head: '{}' },
  });
  const journal = [{ [FIRST]: each(submitted) }, ...commits].flatMap((parts, t) =>
    Object.entries(parts).map(([partition, facts]) => ({ partition: Number(partition), t, facts })),
  );
  const evidence = {
    options: { wild: { contest: true } },
    // As `gather` puts it together: by partition.
    journal: journal.sort((a, b) => a.partition - b.partition) as unknown as JournalGroup[],
    runs: [...each(runOf('t0', FIRST)), ...each(runOf('t3', OTHER))],
    misfits: new Set(),
    weights: new Map(),
  };
  return fairShare.check(evidence as unknown as Evidence);
}

const STARVED = 't3 got 0 of 40 places beside t0, its share is 20';

describe('the checker of fair share', () => {
  it('finds a tenant that waits while another gets every place', () => {
    const served = each(assigned);
    expect(problemsOf({ [OTHER]: [submitted(0)] }, { [FIRST]: served })).toEqual([STARVED]);
    const [half, rest] = [served.slice(0, PLACES / 2), served.slice(PLACES / 2)];
    const waits = { [FIRST]: half, [OTHER]: [submitted(1)] };
    expect(problemsOf({ [OTHER]: [submitted(0)] }, waits, { [FIRST]: rest })).toEqual([STARVED]);
  });

  it('takes one that began to wait in the commit that gave the places away', () => {
    expect(problemsOf({ [FIRST]: each(assigned), [OTHER]: [submitted(0)] })).toEqual([]);
  });

  it('takes one whose wait had a break in that commit', () => {
    const gap = { [FIRST]: each(assigned), [OTHER]: [ended(0), submitted(1)] };
    expect(problemsOf({ [OTHER]: [submitted(0)] }, gap)).toEqual([]);
    // In this order there was none.
    const turned = { [FIRST]: each(assigned), [OTHER]: [submitted(1), ended(0)] };
    expect(problemsOf({ [OTHER]: [submitted(0)] }, turned)).toEqual([STARVED]);
  });

  it('takes one that gets its share', () => {
    const half = each(assigned).slice(0, PLACES / 2);
    const both = { [FIRST]: half, [OTHER]: half };
    expect(problemsOf({ [OTHER]: each(submitted) }, both)).toEqual([]);
  });
});
