import { ONE_OFF, type Statement } from '../statement.ts';

/**
 * Runs of one segment without an end. A run has one end at most (I3) and it lies in the run's own
 * segment, so the two need not be joined. Takes no lock of its own; it reads the segment's tables
 * alone, never the whole history.
 */
export function countOpenRuns(s: string, fromMs: number): Statement {
  return {
    name: ONE_OFF,
    text: `
select (select coalesce(sum(coalesce(count, 1)), 0) from ${s}.runs_${fromMs})
  - (select coalesce(sum(coalesce(count, 1)), 0) from ${s}.ends_${fromMs}) as count`,
  };
}
