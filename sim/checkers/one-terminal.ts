import { isNotificationFact } from '@signalbox/engine';
import type { Evidence } from '../evidence.ts';
import { runKey } from '../names.ts';
import type { Checker } from './checker.ts';

const TERMINAL_OUTCOMES: ReadonlySet<string> = new Set([
  'taskSucceeded',
  'taskFailed',
  'taskTimedOut',
  'taskQuarantined',
  'taskCancelled',
  'taskSkipped',
]);

/** C2: every run ends exactly once, every task at most once, and nothing follows an end. */
export const oneTerminal: Checker = {
  name: 'C2',
  promise: 'exactly one terminal state, never left',
  check: (evidence) => [...brokenEnds(evidence), ...unended(evidence)],
};

function brokenEnds(evidence: Evidence): string[] {
  const problems: string[] = [];
  const endedAt = new Map<string, string>();
  const endedTasks = new Set<string>();
  for (const { partition, seq: group, facts } of evidence.journal) {
    for (const packed of facts) {
      if (packed.kind !== 'fact' && packed.kind !== 'endedAt') continue;
      const seq = packed.kind === 'fact' ? packed.fact.seq : packed.seq;
      // That somebody was told of an end is known after it.
      if (packed.kind === 'fact' && isNotificationFact(packed.fact)) continue;
      const name = runKey({ partition, seq });
      if (endedAt.has(name)) problems.push(`run ${name} goes on after its end (group ${group})`);
      if (packed.kind === 'endedAt') {
        endedAt.set(name, packed.state);
        continue;
      }
      if (!('task' in packed.fact)) continue;
      const task = `${name}/${packed.fact.task}`;
      if (endedTasks.has(task)) problems.push(`task ${task} left a terminal state`);
      if (TERMINAL_OUTCOMES.has(packed.fact.kind)) endedTasks.add(task);
    }
  }
  for (const { run, end } of evidence.runs) {
    const name = runKey(run.id);
    const told = endedAt.get(name) ?? null;
    if ((end?.state ?? null) !== told) {
      problems.push(`run ${name} ended ${told} in the journal, ${end?.state ?? null} in its row`);
    }
  }
  return problems;
}

function unended(evidence: Evidence): string[] {
  return evidence.runs.flatMap(({ run, end }) => {
    if (end !== null || evidence.misfits.has(run.job)) return [];
    const dueAt = run.head === '' ? 0 : ((JSON.parse(run.head) as { dueAt?: number }).dueAt ?? 0);
    return dueAt >= evidence.farDueMs ? [] : [`run ${runKey(run.id)} (${run.job}) never ended`];
  });
}
