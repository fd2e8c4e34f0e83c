import type { LogStream } from '@signalbox/protocol/link';
import type { Assign, Result } from '../../executor.ts';

/** From the worker to the thread or process that runs one handler. */
export type ToIsolated =
  | {
      readonly kind: 'run';
      readonly assign: Assign;
      readonly input: Uint8Array | null;
      readonly checkpoint: Uint8Array | null;
      readonly parents: Uint8Array | null;
      readonly deadline: number | null;
    }
  | { readonly kind: 'abort'; readonly why: string; readonly graceMs: number }
  | {
      readonly kind: 'extended';
      readonly call: number;
      readonly granted: boolean;
      readonly deadline: number | null;
    };

/** From the thread or process to the worker. */
export type FromIsolated =
  | { readonly kind: 'ready' }
  | { readonly kind: 'log'; readonly stream: LogStream; readonly text: string | Uint8Array }
  | { readonly kind: 'progress'; readonly value: number }
  | { readonly kind: 'checkpoint'; readonly state: Uint8Array }
  | { readonly kind: 'extend'; readonly call: number; readonly byMs: number }
  | { readonly kind: 'done'; readonly result: Result };
