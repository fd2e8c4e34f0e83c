import { formatRunId, type RunHead } from '@signalbox/engine';
import type { StoredRun } from '@signalbox/store';
import type { Evidence } from '../evidence.ts';
import type { HistoryEvent } from '../history.ts';
import { runKey } from '../names.ts';
import { type Lifetime, lifetimes } from './lifetimes.ts';

type Retried = HistoryEvent & { kind: 'retry.ok' };

/** A retry, its run, and the run that it was answered with. */
interface Retry {
  readonly event: Retried;
  readonly old: StoredRun;
  readonly answered: StoredRun;
  /** No two runs of the job live at once. */
  readonly isExclusive: boolean;
}

/**
 * A retry is a new run of the same job and input, which keeps what made its run unique. Where another
 * run with the unique value lives, or any run of a job that excludes overlap, the retry is answered
 * with that run, and the answer says so.
 */
export function changedRetries(evidence: Evidence): string[] {
  const byName = new Map(evidence.runs.map((stored) => [runKey(stored.run.id), stored]));
  const lives = lifetimes(evidence);
  return evidence.events.flatMap((event) => {
    if (event.kind !== 'retry.ok') return [];
    const [old, answered] = [byName.get(runKey(event.of)), byName.get(runKey(event.id))];
    const name = `the retry ${runKey(event.id)} of run ${runKey(event.of)}`;
    if (old === undefined || answered === undefined) return [`${name} is lost`];
    const isExclusive = evidence.jobs.get(old.run.job)?.overlap === 'skip';
    const retry = { event, old, answered, isExclusive };
    const problem =
      uniqueProblem(retry) ??
      (event.duplicate ? equalProblem(retry, lives.get(runKey(event.id))) : ownProblem(retry));
    return problem === null ? [] : [`${name} ${problem}`];
  });
}

function uniqueProblem({ old, answered, isExclusive }: Retry): string | null {
  if (answered.run.job !== old.run.job) return 'is of another job';
  const unique = headOf(answered).unique;
  const isKept = isExclusive ? unique !== undefined : unique === headOf(old).unique;
  return isKept ? null : 'lost its unique value';
}

function ownProblem({ old, answered }: Retry): string | null {
  const { trigger } = headOf(answered);
  if (trigger?.kind !== 'retry' || trigger.of !== formatRunId(old.run.id)) {
    return 'is of another run, and was called a new one';
  }
  return answered.run.inputBytes === old.run.inputBytes ? null : 'has another input';
}

/** Why a run that something else made is no answer to the retry. */
function equalProblem({ event, old, isExclusive }: Retry, life?: Lifetime): string | null {
  if (headOf(old).unique === undefined && !isExclusive) return 'is a run that it does not equal';
  if (life === undefined || life.to < event.invokedAt || life.from > event.t) return 'was over';
  return null;
}

function headOf({ run }: StoredRun): RunHead {
  return run.head === '' ? {} : (JSON.parse(run.head) as RunHead);
}
