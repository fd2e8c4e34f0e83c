import {
  formatRunId,
  parseDetail,
  parseRunId,
  type RunDetail,
  type RunHead,
} from '@signalbox/engine';
import type { StoredRun } from '@signalbox/store';
import type { Evidence } from '../evidence.ts';
import { runKey } from '../names.ts';
import type { Checker } from './checker.ts';

type Nested = NonNullable<RunHead['nested']>;

/** A nested run, the task that asked for it, and how both ended; null where they have not. */
interface Pair {
  readonly name: string;
  readonly nested: Nested;
  readonly stored: StoredRun;
  readonly parent: StoredRun | undefined;
  readonly task: RunDetail['tasks'][number] | null;
}

/**
 * C15: a wait for a run has at most one, which the wait really asked for; one that nobody waits for any
 * more is not left going; nobody waits for one that has ended; a wait ends as its run did, or as a gate that
 * stays closed where an approval of its run was not given; it has the input that the wait gives it, which here
 * is that of its parent.
 */
export const nestedRuns: Checker = {
  name: 'C15',
  promise: 'a wait and its nested run end together',
  check: (evidence) => {
    const pairs = pairsOf(evidence);
    return [
      ...doubled(pairs),
      ...unasked(pairs, evidence),
      ...pairs.flatMap((pair) => parted(pair, evidence)),
    ];
  },
};

function pairsOf({ runs }: Evidence): Pair[] {
  const byId = new Map(runs.map((stored) => [formatRunId(stored.run.id), stored]));
  return runs.flatMap((stored) => {
    const { nested } = headOf(stored);
    if (nested === undefined) return [];
    const parent = byId.get(nested.of);
    const end = parent?.end ?? null;
    const detail = end === null ? null : parseDetail(end.detail, parent?.run.id.ms ?? 0);
    const task = detail?.tasks[nested.index] ?? null;
    return [{ name: runKey(stored.run.id), nested, stored, parent, task }];
  });
}

function doubled(pairs: readonly Pair[]): string[] {
  const seen = new Map<string, string>();
  return pairs.flatMap(({ name, nested }) => {
    const wait = `${nested.of}/${nested.index} since ${nested.since}`;
    const other = seen.get(wait);
    seen.set(wait, name);
    return other === undefined ? [] : [`the wait of ${wait} has two runs: ${other}, ${name}`];
  });
}

function unasked(pairs: readonly Pair[], { journal }: Evidence): string[] {
  const waits = new Set<string>();
  for (const { partition, facts } of journal) {
    for (const packed of facts) {
      if (packed.kind !== 'fact' || packed.fact.kind !== 'taskWaiting') continue;
      const { seq, task, at } = packed.fact;
      waits.add(`${partition}.${seq}/${task} since ${at}`);
    }
  }
  return pairs.flatMap(({ name, nested }) => {
    const { of, index, since } = nested;
    const id = parseRunId(of);
    const wait = `${id === null ? of : runKey(id)}/${index} since ${since}`;
    return waits.has(wait) ? [] : [`no wait asked for the nested run ${name}`];
  });
}

function parted(
  { name, stored, parent, task, nested }: Pair,
  { jobs }: Pick<Evidence, 'jobs'>,
): string[] {
  if (parent === undefined) return [`the nested run ${name} has no parent`];
  if (stored.run.inputBytes !== parent.run.inputBytes) {
    return [`the nested run ${name} was started without the input that it was to get`];
  }
  if (task === null) {
    // Its parent may wait for another by now; what it did after the end of this one is not told.
    return stored.end === null ? [] : stillWaiting(name, parent);
  }
  if (stored.end === null) return [`nobody waits for the nested run ${name}, which goes on`];
  if (task.nested !== formatRunId(stored.run.id)) return [];
  const waits = jobs.get(parent.run.job)?.tasks?.[nested.index];
  const isClosed = waits?.run?.onReject !== 'continue' && isGateClosed(stored, jobs);
  const isWell = !isClosed && ['SUCCEEDED', 'PARTIAL'].includes(stored.end.state);
  const { state, failedBy } = task;
  if (state === 'CANCELLED') return [];
  if ((state === 'SUCCEEDED') === isWell && (failedBy === 'nested_rejected') === isClosed)
    return [];
  const how = isClosed ? `${stored.end.state} with a closed gate` : stored.end.state;
  return [`the nested run ${name} ended ${how}, its task ${nested.task} ${state}`];
}

/** An approval of it was not given and does not let its run go on, or one that is nested deeper. */
function isGateClosed({ run, end }: StoredRun, jobs: Evidence['jobs']): boolean {
  const { tasks } = parseDetail(end?.detail ?? '', run.id.ms);
  const definitions = jobs.get(run.job)?.tasks ?? [];
  return tasks.some(({ state, failedBy }, i) => {
    if (state !== 'FAILED' && state !== 'TIMED_OUT') return false;
    const approval = definitions[i]?.approval;
    if (approval === undefined) return failedBy === 'nested_rejected';
    return approval.onReject !== 'continue' || failedBy === 'invalid_condition';
  });
}

function stillWaiting(name: string, parent: StoredRun): string[] {
  return [`run ${runKey(parent.run.id)} goes on after its nested run ${name} has ended`];
}

function headOf({ run }: StoredRun): RunHead {
  return run.head === '' ? {} : (JSON.parse(run.head) as RunHead);
}
