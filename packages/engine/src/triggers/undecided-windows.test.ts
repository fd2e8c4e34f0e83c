import { describe, expect, it } from 'vitest';
import { jobSpec } from '../model/spec.ts';
import { HOUR, MINUTE, Scheduled } from '../testing/scheduled.ts';

const spec = jobSpec({ tenant: 'acme', job: 'job', version: 1, definition: { overlap: 'skip' } });

/** A window of a job that excludes overlap is held behind the run of the one before. */
function holding(): Scheduled {
  const h = new Scheduled();
  h.endsRuns = false;
  h.head = { kind: 'ready', spec };
  h.save({ overlap: 'queueAll' });
  h.advance(MINUTE);
  h.advance(HOUR);
  expect(h.firedHours).toEqual([0]);
  expect(h.schedule().held).toHaveLength(1);
  h.flush();
  return h;
}

describe('a window that is held', () => {
  it('K1 I10 is decided as soon as the submission in its way was refused', () => {
    const h = holding();
    h.endRuns();
    // Before the held window is looked at, a submission under a key becomes the job's only run.
    const head = { key: 'k' };
    const answer = h.apply({ kind: 'submit', partition: 0, spec, head, input: null });
    expect(answer.kind).toBe('accepted');
    h.engine.schedule(h.now, h.random);
    const { facts } = h.engine.core;
    expect(facts.some(({ kind }) => kind === 'windowFired' || kind === 'windowsSkipped')).toBe(
      false,
    );
    // The store refuses the key: that run never was.
    const made = facts.find((fact) => fact.kind === 'runSubmitted');
    if (made === undefined) throw new Error('nothing was submitted');
    h.apply({ kind: 'withdraw', partition: 0, submitted: made.run, lane: null });
    h.flush();
    h.step();
    expect(h.firedHours).toEqual([0, 1]);
    expect(h.schedule().held ?? []).toEqual([]);
  });

  it('K1 I10 is decided as soon as the submission in its way is durable', () => {
    const h = holding();
    h.endRuns();
    h.apply({ kind: 'submit', partition: 0, spec, head: { key: 'k' }, input: null });
    h.step();
    h.step();
    expect(h.schedule().held ?? []).toEqual([]);
    expect(h.skipped).toMatchObject([{ count: 1, reason: 'overlap' }]);
  });
});

describe('a window whose event came under a key that the store may refuse', () => {
  /** The run of the event has ended in the moment it was made: none of its tasks was wanted. */
  function met(): Scheduled {
    const h = new Scheduled();
    h.endsRuns = false;
    h.save({ expects: { trigger: 'files', bufferMs: 0, late: 'run' } });
    h.flush();
    expect(event(h, 'a').kind).toBe('accepted');
    h.endRuns();
    expect(h.book.runs.size).toBe(0);
    return h;
  }

  const event = (h: Scheduled, id: string) =>
    h.trySubmit({ head: { key: `event:${id}`, expects: 'nightly' } });

  it('K1 I10 stays undecided also where the run of the event has ended: it fires once that never was', () => {
    const h = met();
    const made = h.engine.core.facts.find((fact) => fact.kind === 'runSubmitted');
    if (made === undefined) throw new Error('nothing was submitted');
    h.now += MINUTE;
    h.apply({ kind: 'tick' });
    h.engine.schedule(h.now, h.random);
    h.tellJobs();
    h.engine.schedule(h.now, h.random);
    h.apply({ kind: 'withdraw', partition: 0, submitted: made.run, lane: null });
    h.step();
    h.step();
    expect(h.firedHours).toEqual([0]);
    expect(h.skipped).toEqual([]);
  });

  it('K1 keeps the next event waiting, which may be the one that meets it', () => {
    const h = met();
    const head = { key: 'event:b', expects: 'nightly' };
    const next = { kind: 'submit', partition: 0, spec, head, input: null } as const;
    expect(h.engine.awaitedGroup(next)).toBe(h.engine.core.groupNumber);
    h.flush();
    expect(h.engine.awaitedGroup(next)).toBeNull();
  });
});
