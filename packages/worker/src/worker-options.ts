import type { Resources } from '@signalbox/protocol/link';
import type { Blobs } from './blobs.ts';
import type { Assign, Executor, Result } from './executor.ts';
import type { Handler, HandlerModule } from './executors/handler/handler.ts';
import type { AttemptState, WorkerState } from './life-cycle.ts';
import type { LinkEvent } from './link/link.ts';
import type { Transport } from './transport/transport.ts';

export interface WorkerOptions {
  /** One node, or `transports` for several: the worker attaches to each of them. */
  readonly transport?: Transport;
  readonly transports?: readonly Transport[];
  readonly name: string;
  /** New with every start of the process; made up where it is absent. */
  readonly instance?: string;
  readonly zone?: string;
  readonly labels?: Readonly<Record<string, string>>;
  /** Ten slots, and the cores and memory of the machine, unless it says otherwise. */
  readonly total?: Partial<Resources>;
  readonly handlers?: Readonly<Record<string, Handler | HandlerModule>>;
  readonly executors?: readonly Executor[];
  readonly blobs?: Blobs;
  /** Draws attempts into traces; absent where nobody collects them. */
  readonly spans?: WorkerSpans;
  readonly onEvent?: (event: WorkerEvent) => void;
  /**
   * Events of its links alone. Where nobody asks for `onEvent`, the events of attempts are not made,
   * and those are several for each task.
   */
  readonly onLinkEvent?: (event: LinkEvent) => void;
}

export interface WorkerSpans {
  /** Starts a span under `assign.trace`; null where there is no trace. */
  begin(assign: Assign): WorkerSpan | null;
}

export interface WorkerSpan {
  /** The `traceparent` of the span, for what the attempt calls. */
  readonly trace: string;
  end(result: Result): void;
}

/** What names an attempt in every event about one. */
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
  /** Once for each attempt that failed by itself, ran past its time, or stood still. */
  | (AttemptIds & {
      readonly kind: 'failed';
      /** `failed`, `timeout` or `stuck`. */
      readonly why: string;
      readonly error: string;
    })
  /** The number says which of the transports. */
  | { readonly kind: 'link'; readonly link: number; readonly event: LinkEvent }
  | (AttemptIds & { readonly kind: 'refused'; readonly why: RefuseWhy })
  /** A node wants this worker emptied; it goes on running until somebody stops it. */
  | { readonly kind: 'drainAsked'; readonly link: number };

export type RefuseWhy = 'full' | 'draining' | 'no_executor' | 'too_many_results';
