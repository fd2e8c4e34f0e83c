import type {
  BulkAnswer,
  Diagnosis,
  Job,
  JobDefinition,
  LogLine,
  Page,
  PriorityName,
  RunState,
  RunView,
  Submission,
  Submitted,
  TaskView,
} from '@signalbox/protocol';
import type { MembersOf } from './known-members.ts';
import type { WorkingWorker, WorkOn } from './work-on.ts';

/**
 * Where the box does its work: a node over HTTP, or one in this process. Both give the same
 * answers and throw the same `SignalboxError`, so that nothing above knows which it is (API-16).
 */
export interface Backend {
  /** Every question is a request, and an answer may get lost on the way. */
  readonly isRemote: boolean;
  /** Defines the job or changes it; an unchanged definition keeps its version. */
  apply(name: string, definition: JobDefinition): Promise<Job>;
  /** One request. All or none on what is wrong with them; answers in their order. */
  submitAll(items: readonly PreparedSubmission[]): Promise<readonly Submitted[]>;
  /** With `waitMs` it answers when the run has ended or the time is over. */
  run(id: string, options: { waitMs?: number; signal?: AbortSignal | undefined }): Promise<RunView>;
  /** Tasks behind those that the view of the run names, from its `nextTasks` on. */
  tasks(id: string, cursor: string): Promise<Page<TaskView>>;
  runs(query: RunsQuery): Promise<Page<RunView>>;
  output(id: string, signal?: AbortSignal): Promise<Uint8Array>;
  /** One bounded step of many runs. */
  changeAll(action: 'cancel' | 'retry', options: BulkOptions): Promise<BulkAnswer>;
  cancel(id: string, reason: string | undefined): Promise<void>;
  retry(id: string, reason: string | undefined): Promise<Submitted>;
  /** Says to a task that waits for a person what the person says. */
  decide(of: TaskOfRun, said: Decided): Promise<void>;
  /** Tells a task that the event has come that it waits for. */
  signal(of: TaskOfRun, event: unknown): Promise<void>;
  diagnosis(taskId: string): Promise<Diagnosis>;
  logs(id: string, query: LogsQuery): Promise<Page<LogLine>>;
  /** Ends when the signal fires; throws where the stream cannot be had (again). */
  events(filter: EventsFilter, signal: AbortSignal): AsyncIterable<BoxEvent>;
  /** Runs attempts in this process. Rejects if no node takes the worker, and when `closed` fires. */
  work(params: WorkOn, closed: AbortSignal): Promise<WorkingWorker>;
  /** False for a key that may attach workers and change nothing else. */
  mayDefine(): Promise<boolean>;
  close(): Promise<void>;
}

/** A submission whose input is a copy already, so that nothing the caller changes later gets in. */
export interface PreparedSubmission {
  readonly head: Omit<Submission, 'input' | 'inputBase64'>;
  /** JSON as text, or bytes; undefined where there is no input, or it is in `head.inputBlob`. */
  readonly input: string | Uint8Array | undefined;
}

export interface TaskOfRun {
  readonly run: string;
  readonly task: string;
}

export interface Decided {
  readonly decision: 'approve' | 'reject';
  readonly comment?: string;
}

/** Selects runs; a run must match all given fields. */
export interface RunsFilter {
  readonly job?: string | undefined;
  readonly state?: RunState | undefined;
  readonly priority?: PriorityName | undefined;
  /** Submitted at this time or later, ISO 8601. */
  readonly from?: string | undefined;
  /** Submitted before this time, ISO 8601. */
  readonly until?: string | undefined;
  readonly idempotencyKey?: string | undefined;
  /** Name of the schedule that started the run. */
  readonly schedule?: string | undefined;
  /** Name of the trigger that started the run. */
  readonly trigger?: string | undefined;
  /** Id of the event that started the run. */
  readonly event?: string | undefined;
  /** First digits of the id, at least four. */
  readonly id?: string | undefined;
  readonly submittedBy?: string | undefined;
}

export interface RunsQuery extends RunsFilter {
  readonly cursor?: string | undefined;
  readonly limit?: number | undefined;
}

export interface BulkOptions {
  readonly filter: RunsFilter;
  /** Changes nothing; returns the number of matching runs and the first of them. */
  readonly dryRun?: boolean | undefined;
  readonly reason?: string | undefined;
  /** Maximum number of runs per call. Default: 100. */
  readonly limit?: number | undefined;
  /** `next` of the previous call. */
  readonly cursor?: string | undefined;
}

export const FILTER_MEMBERS = {
  job: true,
  state: true,
  priority: true,
  from: true,
  until: true,
  idempotencyKey: true,
  schedule: true,
  trigger: true,
  event: true,
  id: true,
  submittedBy: true,
} as const satisfies MembersOf<RunsFilter>;

export const RUNS_MEMBERS = {
  ...FILTER_MEMBERS,
  cursor: true,
  limit: true,
} as const satisfies MembersOf<RunsQuery>;

export const BULK_MEMBERS = {
  filter: true,
  dryRun: true,
  reason: true,
  limit: true,
  cursor: true,
} as const satisfies MembersOf<BulkOptions>;

export interface LogsQuery {
  readonly task?: string;
  readonly after?: string;
  readonly limit?: number;
}

export interface EventsFilter {
  readonly run?: string;
  readonly job?: string;
}

/** A durable change of a run or a task. */
export interface BoxEvent {
  /** The kind of the fact: `runSubmitted`, `taskStarted`, `runEnded`, … */
  readonly kind: string;
  readonly run: string;
  readonly job: string;
  readonly at: string;
  /** Id of the task. */
  readonly task?: string;
  readonly attempt?: number;
  /** State of the run or the task after the event. */
  readonly state?: string;
  readonly detail?: Readonly<Record<string, unknown>>;
}
