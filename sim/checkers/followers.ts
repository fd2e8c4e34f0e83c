import type { RunHead } from '@signalbox/engine';
import type { StoredRun } from '@signalbox/store';
import type { Evidence } from '../evidence.ts';
import { runKey } from '../names.ts';
import { isFollowed } from '../world/followers.ts';
import type { Checker } from './checker.ts';

/** C13: an end that is followed has started one run, whatever died in between; no other run says so. */
export const followers: Checker = {
  name: 'C13',
  promise: 'the end of a run and what it starts are one',
  check: (evidence) => {
    if (!evidence.options.follows) return [];
    const started = startedBy(evidence);
    const [first] = evidence.jobs.keys();
    const owed = evidence.runs.filter((stored) => {
      const { job, id } = stored.run;
      return stored.end !== null && isFollowed(first, { job, seq: id.seq, head: headOf(stored) });
    });
    const problems = owed.flatMap(({ run }) => {
      const count = started.get(runKey(run.id)) ?? 0;
      started.delete(runKey(run.id));
      return count === 1 ? [] : [`the end of run ${runKey(run.id)} started ${count} runs`];
    });
    for (const id of started.keys()) problems.push(`a run follows from ${id}, which started none`);
    return problems;
  },
};

function startedBy({ runs }: Evidence): Map<string, number> {
  const counts = new Map<string, number>();
  for (const stored of runs) {
    const { event } = headOf(stored);
    if (event !== undefined) counts.set(event.id, (counts.get(event.id) ?? 0) + 1);
  }
  return counts;
}

function headOf({ run }: StoredRun): RunHead {
  return run.head === '' ? {} : (JSON.parse(run.head) as RunHead);
}
