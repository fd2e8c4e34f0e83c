import type {
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
} from '@signalbox/protocol';
import type { WorkingWorker, WorkOn } from './work-on.ts';

/**
 * Where the box does its work: a node over HTTP, or one in this process. Both give the same
 * answers and throw the same `SignalboxError`, so that nothing above knows which it is (API-16).
 */
export interface Backend {
  /** Every question is a request, and an answer may get lost on the way. */
  readonly isRemote: boolean;
  /** Defines the job or changes it; an unchanged definition keeps its version. */
  define(name: string, definition: JobDefinition): Promise<Job>;
  /** One request. All or none on what is wrong with them; answers in their order. */
  submitAll(items: readonly PreparedSubmission[]): Promise<readonly Submitted[]>;
  /** With `waitMs` it answers when the run has ended or the time is over. */
  run(id: string, options: { waitMs?: number; signal?: AbortSignal | undefined }): Promise<RunView>;
  runs(query: RunsQuery): Promise<Page<RunView>>;
  output(id: string): Promise<Uint8Array>;
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
  /** Runs attempts in this process. Rejects where no node takes the worker, and when `closed` fires. */
  work(params: WorkOn, closed: AbortSignal): Promise<WorkingWorker>;
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

export interface RunsQuery {
  readonly job?: string | undefined;
  readonly state?: RunState | undefined;
  readonly priority?: PriorityName | undefined;
  readonly cursor?: string | undefined;
  readonly limit?: number | undefined;
}

export interface LogsQuery {
  readonly task?: string;
  readonly after?: string;
  readonly limit?: number;
}

export interface EventsFilter {
  readonly run?: string;
  readonly job?: string;
}

/** Something that has become durable. */
export interface BoxEvent {
  /** The kind of the fact: `runSubmitted`, `taskStarted`, `runEnded`, … */
  readonly kind: string;
  readonly run: string;
  readonly job: string;
  readonly at: string;
  /** The task's id. */
  readonly task?: string;
  readonly attempt?: number;
  /** State of the run or task after it. */
  readonly state?: string;
  readonly detail?: Readonly<Record<string, unknown>>;
}
