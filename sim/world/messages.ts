import type { AttemptRef, AttemptResult, Effect, Resources, WorkerInfo } from '@signalbox/engine';

/** What a worker holds, as it tells it: still running, or finished and not confirmed. */
export interface Hold {
  readonly ref: AttemptRef;
  readonly request: Resources;
  readonly runs: boolean;
}

/** From a worker to a node. */
export type WorkerMessage =
  | { readonly kind: 'attach'; readonly info: WorkerInfo; readonly holds: readonly Hold[] }
  | {
      readonly kind: 'beat';
      readonly holds: readonly Hold[];
      readonly progress: readonly { readonly ref: AttemptRef; readonly value: number }[];
    }
  | { readonly kind: 'accept'; readonly ref: AttemptRef }
  | {
      readonly kind: 'refuse';
      readonly ref: AttemptRef;
      /** Null: full for a reason of its own. */
      readonly holds: readonly Hold[] | null;
    }
  | { readonly kind: 'finish'; readonly ref: AttemptRef; readonly result: AttemptResult }
  | { readonly kind: 'checkpoint'; readonly ref: AttemptRef; readonly state: Uint8Array }
  | { readonly kind: 'extend'; readonly ref: AttemptRef; readonly byMs: number };

/** An assignment as it goes over the wire: values, not the node's living objects. */
export interface Assignment {
  readonly kind: 'assign';
  readonly ref: AttemptRef;
  readonly tenant: string;
  readonly job: string;
  readonly task: string;
  readonly request: Resources;
  readonly input: string;
  readonly checkpoint: string | null;
}

/** From a node to a worker. */
export type NodeMessage =
  | Assignment
  | Exclude<Effect, { kind: 'assign' | 'alert' }>
  /** Heard: without it the worker takes the connection for dead. */
  | { readonly kind: 'heard' };
