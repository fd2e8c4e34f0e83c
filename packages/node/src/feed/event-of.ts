import {
  assertNever,
  CLASSES,
  type Class,
  type GraphFact,
  type Growth,
  isGraphFact,
  type JobSpec,
  parseDetail,
  type RunFact,
  type RunId,
  type RunState,
  taskNameAt,
} from '@signalbox/engine';
import type { FeedEvent } from './feed.ts';

/** A run as its watchers know it. */
export interface NamedRun {
  readonly id: RunId;
  readonly spec: JobSpec;
  /** Tasks that were added, at least up to the current fact. */
  readonly growth: Growth[];
}

/** A fact by which a run grows is known to it before any task is named that it made. */
export function learnGrowth({ growth }: NamedRun, fact: ToldFact | RunFact): void {
  if (fact.kind !== 'taskFannedOut' && fact.kind !== 'tasksAdded') return;
  const step: Growth =
    fact.kind === 'taskFannedOut'
      ? ['fanOut', fact.task, fact.count]
      : ['added', fact.task, fact.tasks, fact.edges];
  // A task makes its run grow once. What was read from memory or a row may be ahead of the facts.
  if (!growth.some(([kind, task]) => kind === step[0] && task === step[1])) growth.push(step);
}

/** Tasks named in the event of an end; a run of a hundred thousand tasks is read from its view. */
const TASKS_TOLD = 100;

type Plain = Exclude<RunFact, { kind: 'runSubmitted' | 'runsPagedIn' | 'runEnded' }>;

/** The part of a fact that watchers receive, from memory or read back from the journal and its rows. */
export type ToldFact =
  | Plain
  | { readonly kind: 'runSubmitted'; readonly partition: number; readonly class: Class }
  | {
      readonly kind: 'runEnded';
      readonly partition: number;
      readonly at: number;
      readonly state: RunState;
      readonly detail: string;
    };

export function toldOf(fact: Exclude<RunFact, { kind: 'runsPagedIn' }>): ToldFact {
  if (fact.kind !== 'runSubmitted') return fact;
  return { kind: fact.kind, partition: fact.partition, class: fact.run.class };
}

/**
 * A fact as watchers see it. It says only what the journal keeps for ever, so that an event read
 * back later is the same, letter for letter.
 */
export function eventOf(fact: ToldFact, run: NamedRun): FeedEvent {
  const { tenant, job } = run.spec;
  const base = { tenant, partition: fact.partition, run: run.id, job, kind: fact.kind };
  switch (fact.kind) {
    case 'runSubmitted':
      return {
        ...base,
        at: run.id.ms,
        state: 'PENDING',
        detail: { priority: CLASSES[fact.class] },
      };
    case 'runCancelRequested':
      return { ...base, at: fact.at, detail: { by: fact.by, reason: fact.reason } };
    case 'runClassChanged': {
      const { by, reason } = fact;
      return { ...base, at: fact.at, detail: { priority: CLASSES[fact.class], by, reason } };
    }
    case 'runEnded':
      return { ...base, at: fact.at, state: fact.state, detail: endOf(fact.detail, run) };
    default:
      return { ...base, ...(isGraphFact(fact) ? graphPart(fact, run) : taskPart(fact, run)) };
  }
}

/** What happened to the graph of the run. */
function graphPart(fact: GraphFact, run: NamedRun): Partial<FeedEvent> & { at: number } {
  const { at } = fact;
  const named = (task: number) => taskNameAt(run.spec, run.growth, task);
  switch (fact.kind) {
    case 'runPaused': {
      const { by, why, detail } = fact;
      return { at, state: 'PAUSED', detail: { by, why, detail } };
    }
    case 'runResumed':
      return { at, state: fact.state ?? 'RUNNING', detail: { by: fact.by } };
    case 'taskFannedOut':
      return { at, task: named(fact.task), detail: { children: fact.count } };
    case 'tasksAdded': {
      const tasks = fact.tasks.slice(0, TASKS_TOLD).map(({ name }) => name);
      return { at, task: named(fact.task), detail: { tasks, count: fact.tasks.length } };
    }
    case 'tasksTakenOver':
      return { at, detail: { count: fact.tasks.length } };
    case 'taskWaiting':
      return { at, task: named(fact.task), state: 'PENDING', detail: { until: fact.until } };
    case 'nestedStarted':
      return { at, task: named(fact.task), detail: { run: fact.run } };
    case 'eventKept':
      return { at, detail: { type: fact.type } };
    case 'eventTaken':
      return { at, task: named(fact.task) };
    case 'notificationDue':
      return { at, detail: { id: fact.notification.id, on: fact.notification.on } };
    case 'notificationDone':
      return { at, detail: { id: fact.id, delivered: fact.delivered } };
    default:
      return assertNever(fact);
  }
}

type OfTask = Exclude<Plain, GraphFact | { kind: 'runCancelRequested' | 'runClassChanged' }>;

function taskPart(fact: OfTask, run: NamedRun): Partial<FeedEvent> & { at: number } {
  const of = {
    at: fact.at,
    task: taskNameAt(run.spec, run.growth, fact.task),
    ...(fact.attempt === 0 ? {} : { attempt: fact.attempt }),
  };
  switch (fact.kind) {
    case 'taskAssigned':
      return { ...of, state: 'ASSIGNED', detail: { worker: fact.worker } };
    case 'taskStarted':
      return { ...of, state: 'RUNNING' };
    case 'taskCheckpointed':
      return { ...of, detail: { bytes: fact.state.length } };
    case 'taskExtended':
      return { ...of, detail: { hardAt: fact.hardAt } };
    case 'taskSucceeded':
      return { ...of, state: 'SUCCEEDED' };
    case 'taskRetryAt': {
      const { reason, error, dueAt } = fact;
      return { ...of, state: 'PENDING', detail: { reason, error, runAt: dueAt } };
    }
    case 'taskRequeued':
      return { ...of, state: 'QUEUED', detail: { reason: fact.reason } };
    case 'taskFailed':
    case 'taskTimedOut':
    case 'taskQuarantined': {
      const { reason, error } = fact;
      return { ...of, state: ENDS[fact.kind], detail: { reason, error } };
    }
    case 'taskCancelled':
    case 'taskSkipped':
      return { ...of, state: ENDS[fact.kind], detail: { reason: fact.reason } };
    default:
      return assertNever(fact);
  }
}

const ENDS = {
  taskFailed: 'FAILED',
  taskTimedOut: 'TIMED_OUT',
  taskQuarantined: 'QUARANTINED',
  taskCancelled: 'CANCELLED',
  taskSkipped: 'SKIPPED',
} as const;

/** The task that ended last has no fact of its own: the end of the run tells of it. */
function endOf(detail: string, run: NamedRun): Readonly<Record<string, unknown>> {
  if (run.spec.tasks.length > TASKS_TOLD) return {};
  const ended = parseDetail(detail, run.id.ms);
  if (ended.tasks.length > TASKS_TOLD) return {};
  const tasks = ended.tasks.map(({ state, error }, i) => ({
    name: taskNameAt(run.spec, ended.growth, i),
    state,
    ...(error === null ? {} : { error }),
  }));
  return { tasks };
}
