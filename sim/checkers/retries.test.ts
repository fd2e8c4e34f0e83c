import type { RunHead, RunId } from '@signalbox/engine';
import { formatRunId } from '@signalbox/engine';
import { describe, expect, it } from 'vitest';
import type { Evidence } from '../evidence.ts';
import { changedRetries } from './retries.ts';

const idOf = (seq: number): RunId => ({ ms: 1_000, partition: 3, seq });

/** Three runs of one job: 11 and 12 have ended, 13 is the retry of 11 and lives from 100 to 200. */
function problemsOf(
  { of, duplicate, t = 150 }: { of: number; duplicate: boolean; t?: number },
  { unique = 'u', overlap = 'allow' }: { unique?: string | null; overlap?: string } = {},
): string[] {
  const stored = (seq: number, inputBytes: number, head: RunHead = {}) => ({
    run: {
      id: idOf(seq),
      job: 'mail',
      inputBytes,
      head: JSON.stringify(unique === null ? head : { unique, ...head }),
    },
  });
  const retried = { trigger: { kind: 'retry', of: formatRunId(idOf(11)), by: 'ann' } };
  const evidence = {
    runs: [stored(11, 5), stored(12, 9), stored(13, 5, retried)],
    jobs: new Map([['mail', { overlap }]]),
    journal: [
      { partition: 3, t: 100, facts: [{ kind: 'submittedAt', run: { seq: 13 } }] },
      { partition: 3, t: 200, facts: [{ kind: 'endedAt', seq: 13 }] },
    ],
    events: [
      {
        kind: 'retry.ok',
        t,
        tenant: 't0',
        of: idOf(of),
        id: idOf(13),
        duplicate,
        invokedAt: t - 1,
      },
    ],
  };
  return changedRetries(evidence as unknown as Evidence);
}

describe('the checker of retries', () => {
  it('takes a new run of the same input, and a live run of the same unique value', () => {
    expect(problemsOf({ of: 11, duplicate: false })).toEqual([]);
    expect(problemsOf({ of: 12, duplicate: true })).toEqual([]);
    expect(problemsOf({ of: 12, duplicate: true }, { overlap: 'skip' })).toEqual([]);
  });

  it('finds a run of another input or of another retry that is called new', () => {
    expect(problemsOf({ of: 12, duplicate: false })).toEqual([
      'the retry 3.13 of run 3.12 is of another run, and was called a new one',
    ]);
  });

  it('finds a run that the retry does not equal, and one that was over', () => {
    expect(problemsOf({ of: 12, duplicate: true }, { unique: null })).toEqual([
      'the retry 3.13 of run 3.12 is a run that it does not equal',
    ]);
    expect(problemsOf({ of: 12, duplicate: true, t: 300 })).toEqual([
      'the retry 3.13 of run 3.12 was over',
    ]);
  });
});
