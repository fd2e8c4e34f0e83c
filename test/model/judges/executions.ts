import type { DumpedAttempt, DumpedRun } from '../dump.ts';
import type { Execution, Fault } from '../history.ts';

/** The handler writes its start a little after its worker was told to begin. */
const SLACK_MS = 2_000;

/**
 * I4, I5, I6: attempts run once each, a recorded success is the output of an execution, and nothing of
 * a task starts after its success was recorded, unless its worker stood still in between.
 */
export function judgeExecutions(
  evidence: readonly Execution[],
  runs: readonly DumpedRun[],
  faults: readonly Fault[],
): string[] {
  const problems: string[] = [];
  const started = new Map<string, number>();
  const succeeded = new Map<string, Set<string>>();
  for (const { kind, attempt, run, submission, nonce, at } of evidence) {
    if (kind === 'start') {
      if (started.has(attempt)) problems.push(`attempt ${attempt} was executed twice`);
      started.set(attempt, at);
    } else if (kind === 'succeeded') {
      const input = submission ?? run;
      succeeded.set(input, (succeeded.get(input) ?? new Set()).add(nonce));
    }
  }
  for (const run of runs) {
    for (const task of run.tasks) {
      problems.push(...startedLate(task.attempts, started, faults));
      for (const { id, outcome } of task.attempts) {
        if (outcome === 'succeeded' && !started.has(id)) {
          problems.push(`attempt ${id} succeeded and was never executed`);
        }
      }
    }
    if (run.outputNonce === null) continue;
    // The output of a nested run is that of its parent too, and a retry keeps what has succeeded.
    if (!(succeeded.get(run.submission ?? run.id)?.has(run.outputNonce) ?? false)) {
      problems.push(`run ${run.id} has an output that no execution of its input returned`);
    }
  }
  return problems;
}

/** Attempts of one task that began after another of them had succeeded. */
function startedLate(
  attempts: readonly DumpedAttempt[],
  started: ReadonlyMap<string, number>,
  faults: readonly Fault[],
): string[] {
  const success = attempts.find(({ outcome }) => outcome === 'succeeded');
  if (success?.endedAt === undefined || success.endedAt === null) return [];
  const recordedAt = Date.parse(success.endedAt);
  return attempts.flatMap(({ id, worker }) => {
    const at = started.get(id) ?? 0;
    if (id === success.id || at <= recordedAt + SLACK_MS) return [];
    const stoodStill = faults.some(({ what, target, from, until }) => {
      const isIts = what === 'worker.pause' && target === worker;
      return isIts && from <= at && until >= recordedAt - SLACK_MS;
    });
    return stoodStill ? [] : [`attempt ${id} began after ${success.id} had succeeded`];
  });
}
