import type { DumpedRun } from '../dump.ts';
import type { Cancelled, Fault } from '../history.ts';

const SLACK_MS = 3_000;

/**
 * A cancelled run ends as cancelled, or succeeds with every task of it, by results that came before
 * their grace was over. How long a result takes is not judged while processes stand still.
 */
export function judgeCancellations(
  cancelled: readonly Cancelled[],
  runs: readonly DumpedRun[],
  { faults, graceMs }: { faults: readonly Fault[]; graceMs: number },
): string[] {
  const problems: string[] = [];
  const byId = new Map(runs.map((run) => [run.id, run]));
  for (const { id, answeredAt } of cancelled) {
    const run = byId.get(id);
    if (run === undefined) {
      problems.push(`run ${id} was cancelled, and is not there`);
      continue;
    }
    if (run.state === 'CANCELLED') continue;
    const hasSucceeded = run.tasks.every(({ state }) => state === 'SUCCEEDED');
    if (run.state !== 'SUCCEEDED' || !hasSucceeded) {
      problems.push(`run ${id} was cancelled and ended ${run.state}`);
    }
    const isDisturbed = faults.some(({ from, until }) => {
      return from <= run.endedMs && until >= answeredAt - SLACK_MS;
    });
    if (!isDisturbed && run.endedMs > answeredAt + graceMs + SLACK_MS) {
      problems.push(`run ${id} was cancelled and succeeded after its grace`);
    }
  }
  return problems;
}
