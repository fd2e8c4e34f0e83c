import { formatRunId, parseDetail, type RunHead } from '@signalbox/engine';
import type { StoredRun } from '@signalbox/store';
import type { Evidence } from '../evidence.ts';
import { any, type Mutant } from './mutant.ts';

function nestedRuns({ runs }: Evidence): StoredRun[] {
  return runs.filter(({ run, end }) => run.head.includes('"nested":') && end !== null);
}

function changed(evidence: Evidence, stored: StoredRun, to: StoredRun): Evidence {
  return { ...evidence, runs: evidence.runs.map((each) => (each === stored ? to : each)) };
}

/** Lies about runs that wait for others. */
export const MUTANTS_OF_NESTED: readonly Mutant[] = [
  {
    name: 'a wait has two nested runs',
    caughtBy: 'C15',
    mutate: (evidence, dice) => {
      const stored = any(dice, nestedRuns(evidence));
      if (stored === null) return null;
      const { run } = stored;
      const second = { ...stored, run: { ...run, id: { ...run.id, seq: run.id.seq + 1_000_000 } } };
      return { ...evidence, runs: [...evidence.runs, second] };
    },
  },
  {
    name: 'a nested run goes on that nobody waits for',
    caughtBy: 'C15',
    mutate: (evidence, dice) => {
      const stored = any(dice, nestedRuns(evidence));
      return stored && changed(evidence, stored, { ...stored, end: null });
    },
  },
  {
    name: 'a nested run that no wait asked for',
    caughtBy: 'C15',
    mutate: (evidence, dice) => {
      const stored = any(dice, nestedRuns(evidence));
      if (stored === null) return null;
      const head = JSON.parse(stored.run.head) as RunHead;
      const nested = { ...head.nested, since: 1 };
      const run = { ...stored.run, head: JSON.stringify({ ...head, nested }) };
      return changed(evidence, stored, { ...stored, run });
    },
  },
  {
    name: 'a wait ends otherwise than its nested run',
    caughtBy: 'C15',
    mutate: (evidence, dice) => {
      const well = nestedRuns(evidence).filter(({ end }) => end?.state === 'SUCCEEDED');
      const stored = any(
        dice,
        well.filter((each) => isHeard(evidence, each)),
      );
      if (stored === null || stored.end === null) return null;
      return changed(evidence, stored, { ...stored, end: { ...stored.end, state: 'FAILED' } });
    },
  },
];

/** Its task took its end over, and was not cancelled before. */
function isHeard({ runs }: Evidence, { run }: StoredRun): boolean {
  const { nested } = JSON.parse(run.head) as RunHead;
  const parent = runs.find((each) => formatRunId(each.run.id) === nested?.of);
  if (nested === undefined || !parent?.end) return false;
  const { tasks } = parseDetail(parent.end.detail, parent.run.id.ms);
  return tasks[nested.index]?.state === 'SUCCEEDED';
}
