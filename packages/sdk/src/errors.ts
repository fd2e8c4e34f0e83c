import {
  ERROR_STATUS,
  type ErrorCode,
  isFailed,
  type RunView,
  type TaskView,
} from '@signalbox/protocol';

/** Codes of the API; `unreachable` where no answer came at all, `closed` where the box was closed. */
export type SignalboxErrorCode = ErrorCode | 'unreachable' | 'closed';

/** Something that Signalbox would not or could not do. `code` says what, and never changes. */
export class SignalboxError extends Error {
  override readonly name: string = 'SignalboxError';
  readonly code: SignalboxErrorCode;
  /** The HTTP status, also in embedded mode; 0 where no answer came. */
  readonly status: number;
  /** Where in the request, as a path like `tasks[0].retry.maxAttempts`. */
  readonly field: string | undefined;
  /** Names the request in the node's log. */
  readonly requestId: string | undefined;
  /** When it is worth asking again, if the answer said so. */
  readonly retryAfterMs: number | undefined;
  /** Refused when it was sent again: the first time, whose answer was lost, it may have been done. */
  readonly mayBeDone: boolean;

  constructor(code: SignalboxErrorCode, message: string, more: SignalboxErrorDetail = {}) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause });
    this.code = code;
    this.status =
      more.status ?? (code === 'unreachable' || code === 'closed' ? 0 : ERROR_STATUS[code]);
    this.field = more.field;
    this.requestId = more.requestId;
    this.retryAfterMs = more.retryAfterMs;
    this.mayBeDone = more.mayBeDone ?? false;
  }
}

export interface SignalboxErrorDetail {
  readonly status?: number | undefined;
  readonly field?: string | undefined;
  readonly requestId?: string | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly mayBeDone?: boolean;
  readonly cause?: unknown;
}

/** The run has ended, and not well. */
export class RunFailedError extends Error {
  override readonly name = 'RunFailedError';
  readonly run: RunView;
  /** The task that brought it down; undefined where it ended before any task began. */
  readonly task: string | undefined;
  /** What the handler threw, the command printed or the node found. */
  readonly error: string | undefined;
  /** Why the task failed, a reason code: `transient`, `permanent`, `timeout`, `rejected`, `nested_failed`, … */
  readonly errorClass: string;
  /** How often that task was tried. */
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
  PARTIAL: 'ended as PARTIAL without an output; run.wait() returns how each task ended. Failed',
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
