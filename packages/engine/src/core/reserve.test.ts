import { describe, expect, it } from 'vitest';
import { Harness } from '../testing/harness.ts';

describe('room that is kept together', () => {
  it('is given back when the last task that waits for it is cancelled, whoever had one before', () => {
    const h = new Harness();
    const small = { tenant: 'small', runClass: 2, request: { memoryMb: 400 } } as const;
    const large = { request: { memoryMb: 1_000 } };
    h.addWorker({ name: 'shared', total: { memoryMb: 1_000 } });
    const [early] = [h.submit(small), h.submit(small)];
    h.acceptAll();
    h.addWorker({ name: 'other', total: { memoryMb: 1_000 } });
    const both = [h.submit({ tenant: 'a', ...large }), h.submit({ tenant: 'b', ...large })];
    h.acceptAll();
    const waiting = both.filter(({ tasks }) => tasks[0]?.state === 'QUEUED');
    expect(waiting).toHaveLength(1);
    // Less urgent work is served although it waits, so that a worker is reserved for it.
    h.succeed(h.attemptOf(early));
    h.submit(small);
    h.acceptAll();
    expect(h.worker('shared').reservedFor).not.toBeNull();
    const by = { by: 'the test', reason: 'over' };
    h.apply({ kind: 'cancel', partition: 0, seq: waiting[0]?.seq ?? 0, ...by });
    h.advance(1_000);
    expect(h.worker('shared').reservedFor).toBeNull();
  });
});
