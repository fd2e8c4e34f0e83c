import {
  ERROR_STATUS,
  type ErrorCode,
  isFailed,
  type RunView,
  type TaskView,
} from '@signalbox/protocol';

/** Error codes of the API; `unreachable` if no response arrived, `closed` if the client was closed. */
export type SignalboxErrorCode = ErrorCode | 'unreachable' | 'closed';

/** A refused or failed request. Programs should depend on `code`, which is stable. */
export class SignalboxError extends Error {
  override readonly name: string = 'SignalboxError';
  readonly code: SignalboxErrorCode;
  /** HTTP status, also in embedded mode; 0 if no response arrived. */
  readonly status: number;
  /** Path of the wrong field in the request, such as `tasks[0].retry.maxAttempts`. */
  readonly field: string | undefined;
  /** Id of the request in the log of the node. */
  readonly requestId: string | undefined;
  /** How long to wait before a retry, if the response says so. */
  readonly retryAfterMs: number | undefined;
  /** True if the request may have taken effect, in whole or in part, despite the error. */
  readonly mayBeDone: boolean;

  constructor(code: SignalboxErrorCode, message: string, more: SignalboxErrorDetail = {}) {
    const cause = more.cause === undefined ? undefined : { cause: more.cause };
    super(withField(message, more.field), cause);
    this.code = code;
    this.status =
      more.status ?? (code === 'unreachable' || code === 'closed' ? 0 : ERROR_STATUS[code]);
    this.field = more.field;
    this.requestId = more.requestId;
    this.retryAfterMs = more.retryAfterMs;
    this.mayBeDone = more.mayBeDone ?? false;
  }
}

/** Most programs print the message alone, so it names the field. */
function withField(message: string, field: string | undefined): string {
  const isNamed = field === undefined || message.split(/[^\w.[\]-]+/).includes(field);
  return isNamed ? message : `${field}: ${message}`;
}

export interface SignalboxErrorDetail {
  readonly status?: number | undefined;
  readonly field?: string | undefined;
  readonly requestId?: string | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly mayBeDone?: boolean;
  readonly cause?: unknown;
}

/** The run ended without success. */
export class RunFailedError extends Error {
  override readonly name = 'RunFailedError';
  readonly run: RunView;
  /** Name of the task that failed; undefined if the run ended before any task started. */
  readonly task: string | undefined;
  /** Error text of the task. */
  readonly error: string | undefined;
  /** Reason code of the failure: `transient`, `permanent`, `timeout`, `rejected`, `nested_failed`, … */
  readonly errorClass: string;
  /** Number of attempts of that task. */
  readonly attempts: number;

  constructor(run: RunView) {
    const task = culprit(run);
    const cause = task?.error ?? undefined;
    const attempts = task?.attempts.at(-1)?.number ?? 0;
    const ended = ENDED[run.state] ?? 'failed';
    const where = task === undefined || run.tasks.length === 1 ? '' : ` in task ${task.name}`;
    const tries = attempts > 1 ? ` after ${attempts} attempts` : '';
    super(`run ${run.id} of ${run.job} ${ended}${where}${tries}${cause ? `: ${cause}` : ''}`);
    this.run = run;
    this.task = task?.name;
    this.error = cause;
    this.errorClass = task?.reason ?? (task?.attempts.at(-1)?.outcome || endOf(run));
    this.attempts = attempts;
  }
}

const ENDED: { readonly [state: string]: string } = {
  CANCELLED: 'was cancelled',
  PARTIAL: 'ended as PARTIAL without an output (run.wait() returns the state of each task); failed',
};

/** Tasks that were merely skipped or stopped because of another are not to blame. */
function culprit(run: RunView): TaskView | undefined {
  return (
    run.tasks.find((task) => isFailed(task.state)) ??
    run.tasks.find((task) => task.state === 'CANCELLED')
  );
}

function endOf(run: RunView): string {
  return run.state === 'CANCELLED' ? 'cancelled' : 'upstream_failed';
}
