import type { Submitted } from '@signalbox/protocol';
import type { PreparedSubmission } from './backend.ts';
import { batchLength } from './batch-length.ts';
import { SignalboxError, type SignalboxErrorCode } from './errors.ts';

/** Requests under way at once; what comes meanwhile gathers, and the batches grow with the load. */
const IN_FLIGHT_MAX = 4;

/** Whether an error may concern one submission only: the others of its batch must not fail with it. */
const OF_ONE: Readonly<Record<SignalboxErrorCode, boolean>> = {
  bad_request: true,
  unauthenticated: false,
  forbidden: false,
  not_found: true,
  method_not_allowed: false,
  timeout: false,
  conflict: true,
  idempotency_conflict: true,
  job_paused: true,
  not_running: false,
  quota_exceeded: false,
  precondition_failed: true,
  too_large: true,
  unsupported_media_type: false,
  invalid: true,
  invalid_schedule: false,
  target_not_allowed: true,
  locked_field: true,
  rate_limited: false,
  overloaded: false,
  headers_too_large: false,
  internal: false,
  damaged: true,
  not_owner: false,
  unavailable: false,
  unknown: false,
  unreachable: false,
  closed: false,
};

/** Not where the batch may have been taken before it was refused: its halves would be taken again. */
function isOfOne(error: unknown): boolean {
  return error instanceof SignalboxError && OF_ONE[error.code] && !error.mayBeDone;
}

interface Waiting {
  readonly item: PreparedSubmission;
  readonly resolve: (submitted: Submitted) => void;
  readonly reject: (error: unknown) => void;
}

type SubmitAll = (items: readonly PreparedSubmission[]) => Promise<readonly Submitted[]>;

/** Submissions of one turn travel together: one request and one commit instead of many. */
export class SubmissionBatcher {
  readonly #submitAll: SubmitAll;
  #waiting: Waiting[] = [];
  #scheduled = false;
  #inFlight = 0;
  #idle: (() => void)[] = [];

  constructor(submitAll: SubmitAll) {
    this.#submitAll = submitAll;
  }

  submit(item: PreparedSubmission): Promise<Submitted> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      this.#schedule();
    });
  }

  /** Resolves when everything handed in has been answered. */
  async idle(): Promise<void> {
    if (this.#waiting.length === 0 && this.#inFlight === 0) return;
    await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#flush();
    });
  }

  #flush(): void {
    while (this.#waiting.length > 0 && this.#inFlight < IN_FLIGHT_MAX) {
      const at = (i: number) => (this.#waiting[i] as Waiting).item;
      const batch = this.#waiting.splice(0, batchLength(this.#waiting.length, at));
      this.#inFlight++;
      void this.#send(batch).finally(() => {
        this.#inFlight--;
        this.#flush();
        if (this.#inFlight === 0) for (const resolve of this.#idle.splice(0)) resolve();
      });
    }
  }

  /** A batch is all or none: halves of a refused one find whom the error is for in a few requests. */
  async #send(batch: readonly Waiting[]): Promise<void> {
    try {
      const answers = await this.#submitAll(batch.map(({ item }) => item));
      for (const [i, { resolve }] of batch.entries()) resolve(answers[i] as Submitted);
    } catch (error) {
      if (batch.length > 1 && isOfOne(error)) {
        const middle = batch.length >> 1;
        await Promise.all([this.#send(batch.slice(0, middle)), this.#send(batch.slice(middle))]);
        return;
      }
      for (const { reject } of batch) reject(error);
    }
  }
}
