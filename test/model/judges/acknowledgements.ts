import type { Dump, DumpedRun } from '../dump.ts';
import type { Submitted } from '../history.ts';
import { EXCLUSIVE } from '../jobs.ts';

/** Clocks of client and server are the same, but the server decides a little before it answers. */
const SLACK_MS = 2_000;

/**
 * I1, I2: every acknowledged submission has a run of its own job and input, or was told which earlier
 * one it equals, and that is true: the same key, or the same unique value or job while that one lived.
 * Only a pending submission may turn out to be either.
 */
export function judgeAcknowledgements(
  submissions: readonly Submitted[],
  { runs, resolved }: Dump,
): string[] {
  const problems: string[] = [];
  const byId = new Map(runs.map((run) => [run.id, run]));
  const created = new Map<string, Submitted>();
  const duplicates = new Duplicates(submissions);
  for (const submission of submissions) {
    const { answer } = submission;
    if (answer.kind !== 'acknowledged') continue;
    const run = byId.get(resolved.get(submission) ?? '');
    const what = describe(submission);
    if (run === undefined) {
      problems.push(`${what}: acknowledged, but there is no such run`);
      continue;
    }
    if (run.job !== answer.job) {
      problems.push(`${what}: run ${run.id} is of job ${run.job}, not ${answer.job}`);
    }
    // Only a key of its own, in a batch, is answered with another job's run.
    if (answer.job !== submission.job && !(submission.isOfBatch && submission.key !== null)) {
      problems.push(`${what}: acknowledged with a run of job ${answer.job}`);
    }
    const isOwn = run.submission === submission.input.submission;
    if (answer.created) {
      if (!isOwn) problems.push(`${what}: created, but run ${run.id} is of ${run.submission}`);
      const other = created.get(run.id);
      if (other !== undefined) problems.push(`${what}: run ${run.id} was created twice`);
      created.set(run.id, submission);
    } else if (!(answer.pending && isOwn) && !duplicates.has(submission, run)) {
      problems.push(`${what}: no duplicate of run ${run.id} (${run.submission})`);
    }
  }
  return [...problems, ...keysTwice(submissions, resolved), ...runsTwice(submissions, runs)];
}

/** A key stays with the run that it was answered with, also where another submission made that run. */
function keysTwice(submissions: readonly Submitted[], resolved: Dump['resolved']): string[] {
  const problems: string[] = [];
  const holders = new Map<string, string>();
  const submissionsOf = Map.groupBy(submissions, keyOf);
  for (const submission of submissions) {
    const run = resolved.get(submission);
    const name = keyOf(submission);
    if (name === null || run === undefined) continue;
    const other = holders.get(name);
    if (other !== undefined && other !== run) {
      const told = (submissionsOf.get(name) ?? []).map((each) => `${describe(each)} ${how(each)}`);
      problems.push(`key ${name}: runs ${other} and ${run}: ${told.join('; ')}`);
    }
    holders.set(name, run);
  }
  return problems;
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
    if (run.trigger !== 'api' || run.isNested || run.submission === null) continue;
    const own = sent.get(run.submission) ?? [];
    if (own.length === 0) problems.push(`run ${run.id}: nobody submitted ${run.submission}`);
    else if (own.every(({ answer }) => answer.kind === 'refused')) {
      problems.push(`run ${run.id}: ${run.submission} was refused`);
    }
    const keys = new Set(own.map(keyOf));
    for (const name of [`submission ${run.submission}`, ...keys]) {
      if (name === null) continue;
      const other = holders.get(name);
      if (other !== undefined) problems.push(`${name} has two runs: ${other} and ${run.id}`);
      holders.set(name, run.id);
    }
  }
  return problems;
}

/** Which runs a submission may be told that it equals. */
class Duplicates {
  readonly #bySubmission: Map<string, Submitted[]>;
  readonly #byKey: Map<string, Submitted[]>;

  constructor(submissions: readonly Submitted[]) {
    this.#bySubmission = Map.groupBy(submissions, ({ input }) => input.submission);
    const keyed = submissions.filter((submission) => keyOf(submission) !== null);
    this.#byKey = Map.groupBy(keyed, (submission) => keyOf(submission) ?? '');
  }

  has(submission: Submitted, run: DumpedRun): boolean {
    if (this.#isOfLiveRun(submission, run)) return true;
    const name = keyOf(submission);
    if (name === null) return false;
    // Under the key: the submission that made the run, or one that was told this run and keeps its key.
    const others = this.#byKey.get(name) ?? [];
    return others.some((other) => {
      return other.input.submission === run.submission || this.#isOfLiveRun(other, run);
    });
  }

  #isOfLiveRun({ tenant, job, unique, invokedAt, answeredAt, answer }: Submitted, run: DumpedRun) {
    // The owner decides some time after the answer where that is pending, or was lost.
    const isDecided = answer.kind === 'acknowledged' && !answer.pending;
    const decidedMs = isDecided ? answeredAt : Number.POSITIVE_INFINITY;
    const livedThen =
      run.submittedMs <= decidedMs + SLACK_MS && run.endedMs >= invokedAt - SLACK_MS;
    if (!livedThen || run.job !== job || run.tenant !== tenant) return false;
    if (EXCLUSIVE.has(job)) return true;
    const makers = this.#bySubmission.get(run.submission ?? '') ?? [];
    return unique !== null && makers.some((other) => other.unique === unique);
  }
}

/** The key that it has: its own, or its place in a request under a key. */
function keyOf({ tenant, key, request }: Submitted): string | null {
  if (key !== null) return `${tenant}/${key}`;
  return request === null ? null : `${tenant}/${request.key}#${request.place}`;
}

function describe(submission: Submitted): string {
  const { tenant, job, unique, input } = submission;
  const key = keyOf(submission);
  const named = [key === null ? '' : ` key ${key}`, unique === null ? '' : ` unique ${unique}`];
  return `${input.submission} (${tenant}/${job}${named.join('')})`;
}

/** What a submission was answered, for the report of a problem. */
function how({ isOfBatch, invokedAt, answeredAt, answer }: Submitted): string {
  const times = [invokedAt, answeredAt].map((ms) => new Date(ms).toISOString().slice(11));
  return `${JSON.stringify(answer)}${isOfBatch ? ' in a batch' : ''} ${times.join('/')}`;
}
