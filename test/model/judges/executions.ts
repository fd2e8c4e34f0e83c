import type { DumpedRun } from '../dump.ts';
import type { Evidence } from '../history.ts';

/** I4, I6: attempts run once each, and a recorded success is the output of an execution. */
export function judgeExecutions(
  evidence: readonly Evidence[],
  runs: readonly DumpedRun[],
): string[] {
  const problems: string[] = [];
  const started = new Set<string>();
  const succeeded = new Map<string, Set<string>>();
  for (const { kind, attempt, run, nonce } of evidence) {
    if (kind === 'start') {
      if (started.has(attempt)) problems.push(`attempt ${attempt} was executed twice`);
      started.add(attempt);
    } else if (kind === 'succeeded') {
      succeeded.set(run, (succeeded.get(run) ?? new Set()).add(nonce));
    }
  }
  for (const run of runs) {
    for (const task of run.tasks) {
      for (const { id, outcome } of task.attempts) {
        if (outcome === 'succeeded' && !started.has(id)) {
          problems.push(`attempt ${id} succeeded and was never executed`);
        }
      }
    }
    if (run.outputNonce === null) continue;
    if (!(succeeded.get(run.id)?.has(run.outputNonce) ?? false)) {
      problems.push(`run ${run.id} has an output that no execution of it returned`);
    }
  }
  return problems;
}
