import type { AttemptSpans } from './attempt-spans.ts';
import { parseTraceparent } from './traceparent.ts';

export interface Tracing {
  /** For the gateway; absent where nobody collects traces. */
  readonly spans?: AttemptSpans;
  /** Begins the span of a submission, under the client's own where it sent a good `traceparent`. */
  submit(header: string | undefined): SubmitSpan;
  /** Resolves when everything drawn so far has been sent. */
  stop(): Promise<void>;
}

export interface SubmitSpan {
  /** What the run keeps as `head.trace`; absent where there is no trace at all. */
  readonly trace?: string;
  /** The submission has been answered. */
  end(): void;
}

/** Nobody collects: the client's own trace is passed on to the worker, and nothing is drawn. */
export const NO_TRACING: Tracing = {
  submit: (header) => {
    if (header === undefined || parseTraceparent(header) === null) return NO_SPAN;
    return { trace: header, end: () => {} };
  },
  stop: async () => {},
};

const NO_SPAN: SubmitSpan = { end: () => {} };
