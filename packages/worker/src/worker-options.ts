import type { Resources } from '@signalbox/protocol/link';
import type { Blobs } from './blobs.ts';
import type { Assign, Executor, Result } from './executor.ts';
import type { Handler, HandlerModule } from './executors/handler/handler.ts';
import type { AttemptState, WorkerState } from './life-cycle.ts';
import type { LinkEvent } from './link/link.ts';
import type { Transport } from './transport/transport.ts';

export interface WorkerOptions {
  /** The transport to one node; `transports` for several, each of which the worker attaches to. */
  readonly transport?: Transport;
  readonly transports?: readonly Transport[];
  readonly name: string;
  /** Unique per start of the process. Default: random. */
  readonly instance?: string;
  readonly zone?: string;
  readonly labels?: Readonly<Record<string, string>>;
  /** Default: ten slots, and the cores and memory of the machine. */
  readonly total?: Partial<Resources>;
  readonly handlers?: Readonly<Record<string, Handler | HandlerModule>>;
  readonly executors?: readonly Executor[];
  readonly blobs?: Blobs;
  /** Records attempts as spans of traces; absent if tracing is off. */
  readonly spans?: WorkerSpans;
  readonly onEvent?: (event: WorkerEvent) => void;
  /** Events of its links only. Without `onEvent`, the events of attempts, several per task, are not created. */
  readonly onLinkEvent?: (event: LinkEvent) => void;
}

export interface WorkerSpans {
  /** Starts a span under `assign.trace`; null if there is no trace. */
  begin(assign: Assign): WorkerSpan | null;
}

export interface WorkerSpan {
  /** The `traceparent` of the span, passed on by the attempt. */
  readonly trace: string;
  end(result: Result): void;
}

/** The ids of an attempt in an event. */
export interface AttemptIds {
  /** Of the attempt. */
  readonly id: string;
  readonly run: string;
  readonly tenant: string;
  readonly job: string;
  readonly task: string;
  /** The number of the attempt. */
  readonly attempt: number;
}

export type WorkerEvent =
  | { readonly kind: 'worker'; readonly from: WorkerState; readonly to: WorkerState }
  | (AttemptIds & {
      readonly kind: 'attempt';
      readonly from: AttemptState;
      readonly to: AttemptState;
    })
  /** Once for each attempt that failed, exceeded its timeout, or made no progress. */
  | (AttemptIds & {
      readonly kind: 'failed';
      /** `failed`, `timeout` or `stuck`. */
      readonly why: string;
      readonly error: string;
    })
  /** `link` is the index of the transport. */
  | { readonly kind: 'link'; readonly link: number; readonly event: LinkEvent }
  | (AttemptIds & { readonly kind: 'refused'; readonly why: RefuseWhy })
  /** A node requests a drain; the worker continues to run until `stop()` is called. */
  | { readonly kind: 'drainAsked'; readonly link: number };

export type RefuseWhy = 'full' | 'draining' | 'no_executor' | 'too_many_results';
