import type { Dump, DumpedRun } from '../dump.ts';
import type { Submitted } from '../history.ts';
import { EXCLUSIVE } from '../jobs.ts';

/** Clocks of client and server are the same, but the server decides a little before it answers. */
const SLACK_MS = 2_000;

/**
 * I1, I2: every acknowledged submission has a run of its own job and input, or was told which earlier
 * one it equals, and that is true: the same key, or the same unique value or job while that one lived.
 */
export function judgeAcknowledgements(
  submissions: readonly Submitted[],
  { runs, resolved }: Dump,
): string[] {
  const problems: string[] = [];
  const byId = new Map(runs.map((run) => [run.id, run]));
  const created = new Map<string, Submitted>();
  for (const submission of submissions) {
    const { answer } = submission;
    if (answer.kind !== 'acknowledged') continue;
    const run = byId.get(resolved.get(submission) ?? '');
    const what = describe(submission);
    if (run === undefined) problems.push(`${what}: acknowledged, but there is no such run`);
    else if (run.job !== submission.job) {
      problems.push(`${what}: acknowledged, but run ${run.id} is of job ${run.job}`);
    } else if (answer.created) {
      if (run.submission !== submission.input.submission) {
        problems.push(`${what}: created, but run ${run.id} has the input of ${run.submission}`);
      }
      const other = created.get(run.id);
      if (other !== undefined) problems.push(`${what}: run ${run.id} was created twice`);
      created.set(run.id, submission);
    } else if (!isDuplicate(submission, run, submissions)) {
      problems.push(`${what}: no duplicate of run ${run.id} (${run.submission})`);
    }
  }
  return [...problems, ...runsTwice(submissions, runs)];
}

/** Refused submissions have no run; one submission, and one key of a tenant, has one at most. */
function runsTwice(submissions: readonly Submitted[], runs: readonly DumpedRun[]): string[] {
  const problems: string[] = [];
  const sent = new Map<string, Submitted[]>();
  for (const submission of submissions) {
    const own = sent.get(submission.input.submission);
    if (own === undefined) sent.set(submission.input.submission, [submission]);
    else own.push(submission);
  }
  const holders = new Map<string, string>();
  for (const run of runs) {
    if (run.trigger !== 'api' || run.submission === null) continue;
    const own = sent.get(run.submission) ?? [];
    if (own.length === 0) problems.push(`run ${run.id}: nobody submitted ${run.submission}`);
    else if (own.every(({ answer }) => answer.kind === 'refused')) {
      problems.push(`run ${run.id}: ${run.submission} was refused`);
    }
    const keys = new Set(own.map(({ tenant, key }) => (key === null ? null : `${tenant}/${key}`)));
    for (const name of [`submission ${run.submission}`, ...keys]) {
      if (name === null) continue;
      const other = holders.get(name);
      if (other !== undefined) problems.push(`${name} has two runs: ${other} and ${run.id}`);
      holders.set(name, run.id);
    }
  }
  return problems;
}

function isDuplicate(
  submission: Submitted,
  run: DumpedRun,
  submissions: readonly Submitted[],
): boolean {
  const { tenant, job, key, unique, invokedAt, answeredAt } = submission;
  const makers = submissions.filter(
    (other) => other.tenant === tenant && other.input.submission === run.submission,
  );
  if (key !== null && makers.some((other) => other.key === key)) return true;
  const livedThen = run.submittedMs <= answeredAt + SLACK_MS && run.endedMs >= invokedAt - SLACK_MS;
  if (!livedThen || run.job !== job) return false;
  if (EXCLUSIVE.has(job)) return true;
  return unique !== null && makers.some((other) => other.unique === unique);
}

function describe({ tenant, job, key, unique, input }: Submitted): string {
  const named = [key === null ? '' : ` key ${key}`, unique === null ? '' : ` unique ${unique}`];
  return `${input.submission} (${tenant}/${job}${named.join('')})`;
}
