import type { Evidence } from '../evidence.ts';
import { ackMeansDone } from './ack-means-done.ts';
import { acknowledged } from './acknowledged.ts';
import { answered } from './answered.ts';
import { attemptChain } from './attempt-chain.ts';
import type { Checker } from './checker.ts';
import { conservation } from './conservation.ts';
import { eventStreams } from './event-streams.ts';
import { fairShare } from './fair-share.ts';
import { fencing } from './fencing.ts';
import { followers } from './followers.ts';
import { graphOrder } from './graph-order.ts';
import { heardEvents } from './heard-events.ts';
import { keptHistory } from './kept-history.ts';
import { ledger } from './ledger.ts';
import { leftOver } from './left-over.ts';
import { limits } from './limits.ts';
import { liveness } from './liveness.ts';
import { nestedRuns } from './nested-runs.ts';
import { noFatal } from './no-fatal.ts';
import { oneTerminal } from './one-terminal.ts';
import { priority } from './priority.ts';
import { reportTruth } from './report-truth.ts';
import { trustedIntervals } from './trusted-intervals.ts';
import { windows } from './windows.ts';

export const CHECKERS: readonly Checker[] = [
  noFatal,
  conservation,
  oneTerminal,
  attemptChain,
  fencing,
  trustedIntervals,
  ackMeansDone,
  windows,
  graphOrder,
  priority,
  limits,
  liveness,
  reportTruth,
  followers,
  heardEvents,
  nestedRuns,
  acknowledged,
  fairShare,
  leftOver,
  answered,
  keptHistory,
  eventStreams,
  ledger,
];

export interface Violation {
  readonly checker: string;
  readonly problems: readonly string[];
}

export function check(evidence: Evidence): Violation[] {
  return CHECKERS.flatMap((checker) => {
    const problems = checker.check(evidence);
    return problems.length === 0 ? [] : [{ checker: checker.name, problems }];
  });
}
