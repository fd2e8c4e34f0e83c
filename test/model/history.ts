/** What a handler gets. `submission` is unique to one submission, so a run can be traced to it. */
export interface WorkInput {
  readonly submission: string;
  readonly ms?: number;
  /** Ignores its abort signal. */
  readonly deaf?: boolean;
  /** How each attempt ends; the ones after the last succeed. */
  readonly plan?: readonly ('ok' | 'transient' | 'permanent')[];
  readonly padding?: string;
}

/** One line of what the handlers wrote themselves. */
export interface Execution {
  readonly kind: 'start' | 'succeeded' | 'failed';
  readonly run: string;
  readonly attempt: string;
  readonly job: string;
  readonly tenant: string;
  readonly submission: string | null;
  readonly nonce: string;
  readonly worker: string;
  readonly at: number;
}

/** A submission as one client sent it, and what came back. */
export interface Submitted {
  readonly tenant: string;
  readonly job: string;
  readonly key: string | null;
  readonly unique: string | null;
  readonly input: WorkInput;
  /** One of a batch: a key of another job is answered with that job's run. */
  readonly isOfBatch: boolean;
  /** The batch under a key that it is part of, and its place there. */
  readonly request: { readonly key: string; readonly place: number } | null;
  readonly invokedAt: number;
  readonly answeredAt: number;
  readonly answer:
    | {
        readonly kind: 'acknowledged';
        readonly id: string;
        /** The job that the answer names. */
        readonly job: string;
        readonly created: boolean;
        /** Accepted for the owner, who decides between a new run and a live one. */
        readonly pending: boolean;
      }
    | { readonly kind: 'refused'; readonly status: number; readonly code: string }
    /** No answer, or one that says that nobody knows. */
    | { readonly kind: 'unknown' };
}

/** A batch under the key of its request, as it was sent, and whether it was acknowledged. */
export interface Requested {
  readonly tenant: string;
  readonly key: string;
  readonly items: readonly Pick<Submitted, 'job' | 'key' | 'unique'>[];
  readonly isAcknowledged: boolean;
}

/** What a reader was shown of a run, by GET or in a list. */
export interface Shown {
  readonly node: string;
  readonly tenant: string;
  readonly id: string;
  readonly state: string;
  readonly endedAt: string | null;
  /** Attempts that have ended, and whether one is live; empty in a list. */
  readonly tasks: readonly {
    readonly state: string;
    readonly ended: number;
    readonly live: 0 | 1;
  }[];
  readonly invokedAt: number;
  readonly answeredAt: number;
}

/** A cancel that was answered with the run, not yet ended. */
export interface Cancelled {
  readonly tenant: string;
  readonly id: string;
  readonly answeredAt: number;
}

/** A retry that was answered with a run. */
export interface Retried {
  readonly tenant: string;
  readonly of: string;
  readonly id: string;
  readonly created: boolean;
  readonly invokedAt: number;
  readonly answeredAt: number;
}

export interface Fault {
  readonly what: string;
  /** The process that it hit. */
  readonly target: string;
  readonly from: number;
  /** When it was healed. */
  readonly until: number;
}

/** What the event stream of a tenant sent, over all its connections. */
export interface Streamed {
  readonly tenant: string;
  /** Partitions of its first position: it has to send everything of them, wherever it resumes. */
  readonly partitions: ReadonlySet<number>;
  readonly ends: readonly { readonly run: string; readonly state: string }[];
  readonly resets: number;
}

/** What the stream of one run sent, over all its connections. */
export interface RunStreamed {
  readonly tenant: string;
  readonly id: string;
  /** The state that it began with. */
  readonly began: string | null;
  readonly ends: readonly string[];
  /** Ids of events, in the order in which they came. */
  readonly ids: readonly string[];
  readonly resets: number;
  /** The stream said that there is no more. */
  readonly isOver: boolean;
}

export interface ScheduleChange {
  readonly what: 'saved' | 'paused' | 'resumed' | 'deleted';
  readonly tenant: string;
  readonly invokedAt: number;
  readonly answeredAt: number;
  /** Nobody knows whether it was done. */
  readonly unknown: boolean;
}

/** Everything that the observers saw; the judges read it after everything came to rest. */
export class History {
  readonly submissions: Submitted[] = [];
  readonly shown: Shown[] = [];
  readonly scheduleChanges: ScheduleChange[] = [];
  readonly cancelled: Cancelled[] = [];
  readonly retried: Retried[] = [];
  readonly requests: Requested[] = [];
  readonly faults: Fault[] = [];
  /** Answers that no client may get: 5xx other than 503, or none within a minute. */
  readonly broken: string[] = [];
  #next = 1;

  nextSubmission(): string {
    return `s${this.#next++}`;
  }
}

export const TERMINAL: ReadonlySet<string> = new Set([
  'SUCCEEDED',
  'PARTIAL',
  'FAILED',
  'CANCELLED',
]);
