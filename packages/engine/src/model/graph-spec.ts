/**
 * What a job says of its graph beyond tasks and edges. Everything has a default that means "as a
 * plain task", and defaults are shared: there may be a job for each of very many schedules.
 */
export type FailurePolicy = 'FAIL_FAST' | 'FAIL_AFTER_ALL' | 'SKIP_FAILED' | 'CONTINUE' | 'PAUSE';

/** What a definition says of where a member of a task's input comes from. */
export interface InputSource {
  /** A parent; absent: the run's own input. */
  readonly task?: string;
  readonly path?: string;
  /** A constant. */
  readonly value?: unknown;
  readonly list?: readonly InputSource[];
  readonly object?: Readonly<Record<string, InputSource>>;
}

/** Work that needs no worker. */
export type WaitSpec =
  | { readonly kind: 'sleep'; readonly forMs: number; readonly until: number }
  | {
      readonly kind: 'approval';
      readonly message: string;
      readonly timeoutMs: number | null;
      readonly byDefault: 'approve' | 'reject' | null;
      /** What a rejection, or silence without a default, means for what comes after it. */
      readonly onReject: 'stop' | 'continue';
    }
  | {
      readonly kind: 'event';
      readonly type: string;
      readonly when: string | null;
      readonly timeoutMs: number | null;
      readonly byDefault: 'succeed' | 'skip' | null;
    }
  /** A run of another job of the tenant; its output becomes the task's. */
  | {
      readonly kind: 'run';
      readonly job: string;
      /** What an approval of that run that was not given means for what comes after the task. */
      readonly onReject: 'stop' | 'continue';
    };

/** What only tasks of graphs can say; most say none of it and share `PLAIN`. */
export interface StepSpec {
  readonly when: string | null;
  readonly ifParentSkipped: 'skip' | 'run';
  readonly inputs: Readonly<Record<string, InputSource>> | null;
  /** `from`: index of the parent whose output says how many; -1 for the run's input. */
  readonly fanOut: { readonly from: number; readonly path: string } | null;
  readonly dynamic: boolean;
  readonly wait: WaitSpec | null;
}

export const PLAIN: StepSpec = {
  when: null,
  ifParentSkipped: 'skip',
  inputs: null,
  fanOut: null,
  dynamic: false,
  wait: null,
};

export interface GraphSpec {
  readonly failurePolicy: FailurePolicy;
  readonly allowPartial: boolean;
  /** Children of one fan-out; above it the run is paused. */
  readonly fanOutMax: number;
  /** Tasks of one run that may become ready within a second. */
  readonly readyPerSecond: number;
  readonly expectedMs: number | null;
  /** Whether somebody outside is told of the end, and of alerts; whom, the definition says. */
  readonly notify: {
    readonly success: boolean;
    readonly failure: boolean;
    readonly alert: boolean;
  };
}

export const DEFAULT_GRAPH: GraphSpec = {
  failurePolicy: 'FAIL_FAST',
  allowPartial: false,
  fanOutMax: 10_000,
  readyPerSecond: 1_000,
  expectedMs: null,
  notify: { success: false, failure: false, alert: false },
};

/** What an author writes of a task; every member may be absent. */
export interface StepDefinition {
  readonly when?: string;
  readonly ifParentSkipped?: 'skip' | 'run';
  readonly inputs?: Readonly<Record<string, InputSource>>;
  readonly fanOut?: { readonly from?: string; readonly path?: string };
  readonly dynamic?: boolean;
  /** `until` in milliseconds: the engine reads no calendar. */
  readonly sleep?: { readonly forMs?: number; readonly until?: number };
  readonly approval?: {
    readonly message?: string;
    readonly timeoutMs?: number;
    readonly default?: 'approve' | 'reject';
    readonly onReject?: 'stop' | 'continue';
  };
  readonly event?: {
    readonly type: string;
    readonly when?: string;
    readonly timeoutMs?: number;
    readonly default?: 'succeed' | 'skip';
  };
  readonly run?: { readonly job: string; readonly onReject?: 'stop' | 'continue' };
}

export interface GraphDefinition {
  readonly failurePolicy?: FailurePolicy;
  readonly allowPartial?: boolean;
  readonly limits?: { readonly fanOutMax?: number; readonly readyPerSecond?: number };
  readonly expectedMs?: number;
  readonly notify?: {
    readonly onSuccess?: readonly unknown[];
    readonly onFailure?: readonly unknown[];
    readonly onAlert?: readonly unknown[];
  };
}

export function stepSpec(definition: StepDefinition, indexOf: (name: string) => number): StepSpec {
  const { when, ifParentSkipped, inputs, fanOut, dynamic } = definition;
  const wait = waitSpec(definition);
  const said = when ?? ifParentSkipped ?? inputs ?? fanOut ?? dynamic ?? wait ?? null;
  if (said === null) return PLAIN;
  return {
    when: when ?? null,
    ifParentSkipped: ifParentSkipped ?? 'skip',
    inputs: inputs ?? null,
    fanOut: fanOut === undefined ? null : fanOutSpec(fanOut, indexOf),
    dynamic: dynamic ?? false,
    wait,
  };
}

function fanOutSpec(
  { from, path = '' }: NonNullable<StepDefinition['fanOut']>,
  indexOf: (name: string) => number,
): NonNullable<StepSpec['fanOut']> {
  return { from: from === undefined ? -1 : indexOf(from), path };
}

function waitSpec({ sleep, approval, event, run }: StepDefinition): WaitSpec | null {
  if (sleep !== undefined) {
    return { kind: 'sleep', forMs: sleep.forMs ?? 0, until: sleep.until ?? 0 };
  }
  if (approval !== undefined) {
    return {
      kind: 'approval',
      message: approval.message ?? '',
      timeoutMs: approval.timeoutMs ?? null,
      byDefault: approval.default ?? null,
      onReject: approval.onReject ?? 'stop',
    };
  }
  if (event !== undefined) {
    return {
      kind: 'event',
      type: event.type,
      when: event.when ?? null,
      timeoutMs: event.timeoutMs ?? null,
      byDefault: event.default ?? null,
    };
  }
  if (run === undefined) return null;
  return { kind: 'run', job: run.job, onReject: run.onReject ?? 'stop' };
}

export function graphSpec(definition: GraphDefinition): GraphSpec {
  const { failurePolicy, allowPartial, limits, expectedMs, notify } = definition;
  const said = failurePolicy ?? allowPartial ?? limits ?? expectedMs ?? notify;
  if (said === undefined) return DEFAULT_GRAPH;
  const policy = failurePolicy ?? DEFAULT_GRAPH.failurePolicy;
  return {
    failurePolicy: policy,
    // Whoever goes on past failures on purpose does not call the rest a failure.
    allowPartial: allowPartial ?? (policy === 'CONTINUE' || policy === 'SKIP_FAILED'),
    fanOutMax: limits?.fanOutMax ?? DEFAULT_GRAPH.fanOutMax,
    readyPerSecond: limits?.readyPerSecond ?? DEFAULT_GRAPH.readyPerSecond,
    expectedMs: expectedMs ?? null,
    notify: {
      success: notify?.onSuccess !== undefined,
      failure: notify?.onFailure !== undefined,
      alert: notify?.onAlert !== undefined,
    },
  };
}
