import { describe, expect, it } from 'vitest';
import type { Evidence } from '../evidence.ts';
import type { StreamLog } from '../stream-log.ts';
import { OwedEvents } from './owed-events.ts';
import { ToldEvents } from './told-events.ts';

const PARTITION = 2;
const acquired = (node: string, epoch: number, t: number) => {
  return { kind: 'lease.acquired', node, partition: PARTITION, epoch, t };
};

/** What the stream of a tenant on n3 lacks, if its run of partition 2 was submitted at 60 s. */
function problemWith(...events: object[]): string | null {
  const id = { ms: 0, partition: PARTITION, seq: 1 };
  const facts = [{ kind: 'submittedAt', run: id }];
  const evidence = {
    events,
    journal: [{ partition: PARTITION, seq: 7, t: 60_000, facts }],
    runs: [{ run: { id, tenant: 't0' } }],
  } as unknown as Evidence;
  const open = { node: 'n3', sinceMs: 20_000, untilMs: 100_000 };
  const log: StreamLog = { watcher: 's0', tenant: 't0', run: null, messages: [], open };
  return new OwedEvents(evidence, new ToldEvents(evidence)).problemOf(log, new Map());
}

describe('what an open stream is owed', () => {
  it('are the events of the partitions that its node owns', () => {
    expect(problemWith(acquired('n3', 1, 0))).toBe(
      'it is open on n3, and 1 events of partition 2 have not arrived',
    );
    expect(problemWith(acquired('n1', 1, 0))).toBe(null);
  });

  it('are not those of a partition whose lease was over before its node heard of it', () => {
    expect(problemWith(acquired('n3', 1, 0), acquired('n1', 2, 10_000))).toBe(null);
    expect(problemWith(acquired('n1', 2, 0), acquired('n3', 1, 10_000))).toBe(null);
  });
});
