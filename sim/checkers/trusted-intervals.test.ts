import { describe, expect, it } from 'vitest';
import type { Evidence } from '../evidence.ts';
import type { HistoryEvent } from '../history.ts';
import { trustedIntervals } from './trusted-intervals.ts';

const acquired = (t: number, node: string, trustedUntil: number): HistoryEvent => ({
  kind: 'lease.acquired',
  t,
  node,
  partition: 1,
  epoch: t,
  trustedUntil,
});
const renewed = (t: number, node: string, trustedUntil: number): HistoryEvent => ({
  kind: 'lease.renewed',
  t,
  node,
  partitions: [1],
  trustedUntil,
});

const problemsOf = (events: readonly HistoryEvent[]): readonly string[] =>
  trustedIntervals.check({ events } as unknown as Evidence);

describe('C5', () => {
  it('finds two owners that are trusted at once', () => {
    expect(problemsOf([acquired(10, 'a', 50), acquired(40, 'b', 80)])).toHaveLength(1);
    const late = [acquired(10, 'a', 50), renewed(40, 'a', 90), acquired(60, 'b', 99)];
    expect(problemsOf(late)).toHaveLength(1);
  });

  it('passes a grant that reaches a process after its time, until it is renewed', () => {
    const stale = [acquired(10, 'a', 50), renewed(40, 'a', 90), acquired(60, 'b', 20)];
    expect(problemsOf(stale)).toEqual([]);
    expect(problemsOf([...stale, renewed(70, 'b', 99)])).toHaveLength(1);
  });

  it('counts what was trusted before a lease ran out and was renewed', () => {
    const again = [acquired(10, 'a', 50), acquired(40, 'b', 45), renewed(60, 'b', 90)];
    expect(problemsOf(again)).toHaveLength(1);
  });
});
