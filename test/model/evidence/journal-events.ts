import { type AttemptRef, formatRunId, parseDetail, type RunId } from '@signalbox/engine';
import type { StoredRun } from '@signalbox/store';
import type { JournalGroup } from '../../../sim/evidence.ts';
import type { HistoryEvent } from '../../../sim/history.ts';
import { runKey } from '../../../sim/names.ts';
import type { Execution } from '../history.ts';
import { CLOCKS_MS } from './clocks.ts';

/** Commits and take-overs, as the rows of the journal tell them: an empty group of a new epoch is a fence. */
export function storeEvents(journal: readonly JournalGroup[]): HistoryEvent[] {
  const epochs = new Map<number, number>();
  return journal.map(({ partition, epoch, seq, commitId, t, facts }): HistoryEvent => {
    const isFence = facts.length === 0 && epoch !== epochs.get(partition);
    epochs.set(partition, epoch);
    const owner = commitId.slice(0, commitId.lastIndexOf('/'));
    if (isFence) return { t, kind: 'grant', partition, epoch, owner, seq };
    return { t, kind: 'commit', commitId, parts: [{ partition, epoch, seq }] };
  });
}

/**
 * What the handlers wrote themselves, as events of workers. They do not know their fencing token; the
 * journal says which attempt of that number was assigned. A success that is recorded is one that the
 * worker was told of, with the output that its handler returned.
 */
export function workerEvents(params: {
  executions: readonly Execution[];
  journal: readonly JournalGroup[];
  runs: readonly StoredRun[];
  taskNames: ReadonlyMap<string, readonly string[]>;
}): HistoryEvent[] {
  const { executions, runs, taskNames } = params;
  const tokens = tokensOf(params.journal);
  const byId = new Map(runs.map((stored) => [formatRunId(stored.run.id), stored]));
  return executions.flatMap((execution): HistoryEvent[] => {
    const { attempt, worker, at, nonce, submission } = execution;
    const stored = byId.get(execution.run);
    const [, name = '', number = ''] = attempt.split(':');
    const task = taskNames.get(execution.job)?.indexOf(name) ?? -1;
    if (stored === undefined || task < 0) return [];
    const ref = refOf(stored.run.id, { task, number: Number(number), tokens });
    const of = { ref, worker, instance: worker };
    // Behind the commit of its assignment, and before the acknowledgement of its success.
    if (execution.kind === 'start') return [{ t: at + CLOCKS_MS, kind: 'start', ...of }];
    if (execution.kind === 'failed') return [];
    const endedAt = succeededAt(stored, task, ref.number);
    if (endedAt === null) return [];
    const output = JSON.stringify({ nonce, submission });
    const acked = { kind: 'complete.acked', result: 'succeeded', output } as const;
    return [{ t: Math.max(at, endedAt) + 2 * CLOCKS_MS, ...of, ...acked }];
  });
}

type Tokens = ReadonlyMap<string, { readonly epoch: number; readonly token: number }>;

function tokensOf(journal: readonly JournalGroup[]): Tokens {
  const tokens = new Map<string, { epoch: number; token: number }>();
  for (const { partition, epoch, facts } of journal) {
    for (const packed of facts) {
      if (packed.kind !== 'fact' || packed.fact.kind !== 'taskAssigned') continue;
      const { seq, task, attempt, token } = packed.fact;
      tokens.set(`${runKey({ partition, seq })}/${task}#${attempt}`, { epoch, token });
    }
  }
  return tokens;
}

function refOf(
  { partition, seq }: RunId,
  { task, number, tokens }: { task: number; number: number; tokens: Tokens },
): AttemptRef {
  const none = { epoch: 0, token: 0 };
  const { epoch, token } = tokens.get(`${runKey({ partition, seq })}/${task}#${number}`) ?? none;
  return { partition, seq, task, number, epoch, token };
}

/** When the success of an attempt was recorded; null where it was not. */
function succeededAt({ run, end }: StoredRun, task: number, number: number): number | null {
  if (end === null) return null;
  const { attempts = [] } = parseDetail(end.detail, run.id.ms).tasks[task] ?? {};
  const attempt = attempts.find((each) => each.number === number);
  return attempt?.outcome === 'succeeded' ? attempt.endedAt : null;
}
