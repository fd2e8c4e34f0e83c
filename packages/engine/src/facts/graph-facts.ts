import type { PauseReason } from '../model/graph.ts';
import type { KeptEvent } from '../model/run-events.ts';
import type { TaskDefinition } from '../model/spec.ts';
import type { RunState, TaskState } from '../model/states.ts';

/** What can happen to the graph of a run, beyond what happens to its tasks. */
export type GraphFact =
  | RunPaused
  | RunResumed
  | TaskFannedOut
  | TasksAdded
  | TasksTakenOver
  | TaskWaiting
  | NestedStarted
  | EventKept
  | EventTaken
  | NotificationDue
  | NotificationDone;

interface OfRun {
  readonly partition: number;
  readonly seq: number;
  readonly at: number;
}

interface OfTask extends OfRun {
  readonly task: number;
}

/** Nothing of it begins until it is resumed; what runs goes on. */
export interface RunPaused extends OfRun {
  readonly kind: 'runPaused';
  readonly by: string;
  readonly why: PauseReason;
  readonly detail: string;
}

export interface RunResumed extends OfRun {
  readonly kind: 'runResumed';
  readonly by: string;
  /** The limit of a fan-out from now on; 0 for as before. */
  readonly fanOutMax: number;
  /** What it is from now on where nothing of it had begun before it was held; RUNNING if absent. */
  readonly state?: 'PENDING';
}

/** A fan-out became so many children: they are derived, not written one by one. */
export interface TaskFannedOut extends OfTask {
  readonly kind: 'taskFannedOut';
  readonly count: number;
}

/** The output of a task added tasks and edges. */
export interface TasksAdded extends OfTask {
  readonly kind: 'tasksAdded';
  readonly tasks: readonly TaskDefinition[];
  /** Between tasks that were there before, or from one of them to an added one. */
  readonly edges: readonly (readonly [from: number, to: number])[];
}

/** The run goes on with what another one had done. */
export interface TasksTakenOver extends OfRun {
  readonly kind: 'tasksTakenOver';
  readonly tasks: readonly TakenOver[];
}

export interface TakenOver {
  readonly task: number;
  readonly state: TaskState;
  readonly error: string | null;
  readonly output: Uint8Array | null;
  /** The reason of its failure; its attempts are those of the other run. Left out in older journals. */
  readonly failedBy?: string;
}

/** A wait has begun; from here on its time counts. `until` is 0 where only somebody's word ends it. */
export interface TaskWaiting extends OfTask {
  readonly kind: 'taskWaiting';
  readonly until: number;
}

/** The run that a task waits for was accepted; `run` is its id. Said again where a better one is known. */
export interface NestedStarted extends OfTask {
  readonly kind: 'nestedStarted';
  readonly run: string;
}

/** An event came before the wait that it may be for; the run keeps it until then. */
export interface EventKept extends OfRun, KeptEvent {
  readonly kind: 'eventKept';
}

/** An event is what a wait has waited for. In this run it counts no more, however often it is told. */
export interface EventTaken extends OfTask {
  readonly kind: 'eventTaken';
  readonly key: string;
}

/** Somebody outside is to be told, and has not been yet. */
export interface NotificationDue extends OfRun {
  readonly kind: 'notificationDue';
  readonly notification: Notification;
}

export interface Notification {
  /** Unique; the receiver knows by it what it has seen already. */
  readonly id: string;
  readonly on: 'success' | 'failure' | 'alert';
  readonly at: number;
  readonly run: string;
  readonly tenant: string;
  readonly job: string;
  readonly version: number;
  readonly state: RunState;
  /** What happened, where it is not an end. */
  readonly detail: string;
}

/** It was delivered, or given up after the last try. */
export interface NotificationDone extends OfRun {
  readonly kind: 'notificationDone';
  readonly id: string;
  readonly delivered: boolean;
  /** Whose run it is: the run itself is mostly gone by then. Left out in older journals. */
  readonly tenant?: string;
}

type Made<F extends { kind: string }> = Omit<F, 'kind'>;

export const runPaused = (f: Made<RunPaused>): RunPaused => ({ kind: 'runPaused', ...f });
export const runResumed = (f: Made<RunResumed>): RunResumed => ({ kind: 'runResumed', ...f });
export const taskFannedOut = (f: Made<TaskFannedOut>): TaskFannedOut => ({
  kind: 'taskFannedOut',
  ...f,
});
export const tasksAdded = (f: Made<TasksAdded>): TasksAdded => ({ kind: 'tasksAdded', ...f });
export const tasksTakenOver = (f: Made<TasksTakenOver>): TasksTakenOver => ({
  kind: 'tasksTakenOver',
  ...f,
});
export const taskWaiting = (f: Made<TaskWaiting>): TaskWaiting => ({ kind: 'taskWaiting', ...f });
export const nestedStarted = (f: Made<NestedStarted>): NestedStarted => ({
  kind: 'nestedStarted',
  ...f,
});
export const eventKept = (f: Made<EventKept>): EventKept => ({ kind: 'eventKept', ...f });
export const eventTaken = (f: Made<EventTaken>): EventTaken => ({ kind: 'eventTaken', ...f });
export const notificationDue = (f: Made<NotificationDue>): NotificationDue => ({
  kind: 'notificationDue',
  ...f,
});
export const notificationDone = (f: Made<NotificationDone>): NotificationDone => ({
  kind: 'notificationDone',
  ...f,
});

const KINDS: { readonly [K in GraphFact['kind']]: true } = {
  runPaused: true,
  runResumed: true,
  taskFannedOut: true,
  tasksAdded: true,
  tasksTakenOver: true,
  taskWaiting: true,
  nestedStarted: true,
  eventKept: true,
  eventTaken: true,
  notificationDue: true,
  notificationDone: true,
};

export function isGraphFact<F extends { readonly kind: string }>(fact: F): fact is F & GraphFact {
  return Object.hasOwn(KINDS, fact.kind);
}

/** They are about a run that may be gone already. */
export function isNotificationFact<F extends { readonly kind: string }>(
  fact: F,
): fact is F & (NotificationDue | NotificationDone) {
  return fact.kind === 'notificationDue' || fact.kind === 'notificationDone';
}
