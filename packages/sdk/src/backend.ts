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
 * A node over HTTP, or one in this process. Both return the same results and throw the same
 * `SignalboxError` (API-16).
 */
export interface Backend {
  /** Whether each call is a request whose response may be lost. */
  readonly isRemote: boolean;
  /** Creates or updates the job; an unchanged definition keeps its version. */
  apply(name: string, definition: JobDefinition): Promise<Job>;
  /** One request. If one submission is invalid, none is accepted; results are in the order of the items. */
  submitAll(items: readonly PreparedSubmission[]): Promise<readonly Submitted[]>;
  /** With `waitMs`, resolves when the run has ended or the time is over. */
  run(id: string, options: { waitMs?: number; signal?: AbortSignal | undefined }): Promise<RunView>;
  /** The tasks after those in the view of the run; the first cursor is its `nextTasks`. */
  tasks(id: string, cursor: string): Promise<Page<TaskView>>;
  runs(query: RunsQuery): Promise<Page<RunView>>;
  output(id: string, signal?: AbortSignal): Promise<Uint8Array>;
  /** Changes up to `limit` runs. */
  changeAll(action: 'cancel' | 'retry', options: BulkOptions): Promise<BulkAnswer>;
  cancel(id: string, reason: string | undefined): Promise<void>;
  retry(id: string, reason: string | undefined): Promise<Submitted>;
  /** Approves or rejects a task that waits for an approval. */
  decide(task: TaskOfRun, decision: Decision): Promise<void>;
  /** Delivers the event that a task waits for. */
  signal(task: TaskOfRun, event: unknown): Promise<void>;
  diagnosis(taskId: string): Promise<Diagnosis>;
  logs(id: string, query: LogsQuery): Promise<Page<LogLine>>;
  /** Ends when the signal fires; throws if the stream cannot be opened or resumed. */
  events(filter: EventsFilter, signal: AbortSignal): AsyncIterable<BoxEvent>;
  /** Runs attempts in this process. Rejects if no node takes the worker, and when `closed` fires. */
  work(params: WorkOn, closed: AbortSignal): Promise<WorkingWorker>;
  /** False for a key that may attach workers and change nothing else. */
  mayDefine(): Promise<boolean>;
  close(): Promise<void>;
}

/** A submission with a copy of the input, so that later changes by the caller have no effect. */
export interface PreparedSubmission {
  readonly head: Omit<Submission, 'input' | 'inputBase64'>;
  /** JSON text or bytes; undefined if there is no input or it is in `head.inputBlob`. */
  readonly input: string | Uint8Array | undefined;
}

export interface TaskOfRun {
  readonly run: string;
  readonly task: string;
}

export interface Decision {
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
