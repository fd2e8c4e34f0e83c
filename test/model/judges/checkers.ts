import { formatRunId } from '@signalbox/engine';
import { ackMeansDone } from '../../../sim/checkers/ack-means-done.ts';
import { acknowledged } from '../../../sim/checkers/acknowledged.ts';
import { attemptChain } from '../../../sim/checkers/attempt-chain.ts';
import type { Checker } from '../../../sim/checkers/checker.ts';
import { conservation } from '../../../sim/checkers/conservation.ts';
import { fencing } from '../../../sim/checkers/fencing.ts';
import { graphOrder } from '../../../sim/checkers/graph-order.ts';
import { journalCounts } from '../../../sim/checkers/ledger.ts';
import { nestedRuns } from '../../../sim/checkers/nested-runs.ts';
import { oneTerminal } from '../../../sim/checkers/one-terminal.ts';
import { reportTruth } from '../../../sim/checkers/report-truth.ts';
import { windows } from '../../../sim/checkers/windows.ts';
import type { Evidence } from '../../../sim/evidence.ts';
import { readEvents } from '../evidence/events.ts';
import type { History } from '../history.ts';
import { OTHER_NODE_MS } from './views.ts';

/** Those of the simulator's checkers that read only the history, the rows and the journal. */
export const CHECKERS: readonly Checker[] = [
  conservation,
  oneTerminal,
  attemptChain,
  fencing,
  ackMeansDone,
  windows,
  graphOrder,
  nestedRuns,
  acknowledged,
];

/** The simulator's checkers over what real processes did and what the real store holds. */
export function judgeByCheckers(evidence: Evidence, history: History): string[] {
  const problems = CHECKERS.flatMap((checker) => namedProblems(checker, evidence));
  problems.push(...journalCounts(evidence).map((problem) => `ledger: ${problem}`));
  const known = new Set(evidence.runs.map(({ run }) => formatRunId(run.id)));
  const nodes = new Set(history.shown.map(({ node }) => node));
  // A node never goes back behind what it has shown itself; behind another it may be a little late.
  for (const node of nodes) {
    const events = readEvents(history, { node, known, lagMs: 0 });
    problems.push(...namedProblems(reportTruth, { ...evidence, events }));
  }
  const events = readEvents(history, { node: null, known, lagMs: OTHER_NODE_MS });
  return [...problems, ...namedProblems(reportTruth, { ...evidence, events })];
}

function namedProblems(checker: Checker, evidence: Evidence): string[] {
  return checker.check(evidence).map((problem) => `${checker.name}: ${problem}`);
}
