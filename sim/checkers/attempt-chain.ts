import { DEFAULT_RETRY, parseDetail, UNCHARGED_KEPT } from '@signalbox/engine';
import type { Evidence } from '../evidence.ts';
import { attemptKey, runKey, taskKey } from '../names.ts';
import type { Checker } from './checker.ts';

const CHARGED: ReadonlySet<string> = new Set([
  'transient',
  'resource',
  'permanent',
  'worker_lost',
  'stuck',
  'timeout',
]);

/** C3: attempts are numbered 1..n, one after the other, and only as many as the policy allows. */
export const attemptChain: Checker = {
  name: 'C3',
  promise: 'attempts 1..n without gaps, never two live, never too many',
  check: (evidence) => {
    const assigned = new Map<string, { t: number; worker: string }>();
    return [
      ...brokenChains(evidence, assigned),
      ...unfoundedStarts(evidence, assigned),
      ...brokenRecords(evidence),
    ];
  },
};

function brokenChains(
  evidence: Evidence,
  assigned: Map<string, { t: number; worker: string }>,
): string[] {
  const problems: string[] = [];
  const made = new Map<string, number>();
  const live = new Map<string, number>();
  const tokens = new Set<string>();
  for (const { partition, epoch, t, facts } of evidence.journal) {
    for (const packed of facts) {
      if (packed.kind !== 'fact' || !('attempt' in packed.fact)) continue;
      const { fact } = packed;
      const name = taskKey({ partition, seq: fact.seq, task: fact.task });
      if (fact.kind === 'taskAssigned') {
        const before = made.get(name) ?? 0;
        if (fact.attempt !== before + 1) {
          problems.push(`task ${name}: attempt ${fact.attempt} follows ${before}`);
        }
        if (live.has(name)) problems.push(`task ${name}: two live attempts`);
        const token = `${partition}/${epoch}/${fact.token}`;
        if (tokens.has(token)) problems.push(`task ${name}: token ${token} was given out before`);
        tokens.add(token);
        made.set(name, fact.attempt);
        live.set(name, fact.attempt);
        const ref = { partition, seq: fact.seq, task: fact.task, number: fact.attempt, epoch };
        assigned.set(attemptKey({ ...ref, token: fact.token }), { t, worker: fact.worker });
        continue;
      }
      if (fact.attempt === 0) continue;
      if (live.get(name) !== fact.attempt) {
        problems.push(`task ${name}: ${fact.kind} of attempt ${fact.attempt}, which is not live`);
      }
      if (!GOES_ON.has(fact.kind)) live.delete(name);
    }
  }
  return problems;
}

const GOES_ON: ReadonlySet<string> = new Set(['taskStarted', 'taskCheckpointed', 'taskExtended']);

/** DUR-14: a worker never hears of an attempt that is not durable. */
function unfoundedStarts(
  evidence: Evidence,
  assigned: ReadonlyMap<string, { t: number; worker: string }>,
): string[] {
  const started = new Set<string>();
  return evidence.events.flatMap((event) => {
    if (event.kind !== 'start') return [];
    const name = attemptKey(event.ref);
    const assignment = assigned.get(name);
    if (assignment === undefined) return [`attempt ${name} ran and is not in the journal`];
    if (assignment.worker !== event.worker) {
      return [`attempt ${name} of ${assignment.worker} ran on ${event.worker}`];
    }
    if (event.t < assignment.t) return [`attempt ${name} ran before it was durable`];
    if (started.has(name)) return [`attempt ${name} was started twice`];
    started.add(name);
    return [];
  });
}

function brokenRecords(evidence: Evidence): string[] {
  return evidence.runs.flatMap(({ run, end }) => {
    if (end === null) return [];
    const name = runKey(run.id);
    const tasks = evidence.jobs.get(run.job)?.tasks ?? [{}];
    return parseDetail(end.detail, run.id.ms).tasks.flatMap(({ attempts }, index) => {
      const problems: string[] = [];
      const charged = attempts.filter(({ outcome }) => CHARGED.has(outcome)).length;
      // Of very many that cost nothing the oldest have been dropped; the journal still has all.
      const isCut = attempts.length - charged >= UNCHARGED_KEPT;
      attempts.forEach(({ number }, i) => {
        const before = attempts[i - 1]?.number ?? 0;
        if (isCut ? number > before : number === i + 1) return;
        problems.push(`run ${name}/${index}: attempt ${i + 1} is missing`);
      });
      const max = tasks[index]?.retry?.attemptsMax ?? DEFAULT_RETRY.attemptsMax;
      // Where failures pause the run, every resumption allows one more.
      const isHeld = evidence.jobs.get(run.job)?.failurePolicy === 'PAUSE';
      if (charged > max && !isHeld)
        problems.push(`run ${name}/${index}: ${charged} charged of ${max}`);
      return problems;
    });
  });
}
