// What the driver of a comparison and a part of a measured system say to each other.
//
// A part is a program, in any language, that submits tasks to one system (role `producer`), runs
// them (`worker`), or does both in one process (`both`). It is started as
//
//     PROGRAM… ROLE CONFIG
//
// where CONFIG is one JSON object that only the part and its system's file in systems/ understand.
// Both sides write one JSON object per line: the driver to the part's standard input, the part to its
// standard output. Standard error is for people. A part ends when its standard input closes.
//
// A task's data is the object of part/payload.ts; its `id` counts from 0 through the life of the
// producer, over all commands, so that a worker can tell what came twice or never. Instants are
// milliseconds of CLOCK_MONOTONIC, which all processes of a machine share.

/** From the driver. Those from `load` to `latency` are for producers, each answered by one `result`. */
export type Command =
  /** Submits `n` tasks in batches, one after the other, or up to `inflight` of them at once. */
  | {
      readonly kind: 'load';
      readonly n: number;
      readonly batch: number;
      readonly inflight?: number;
    }
  /** Submits one by one for `ms`, with `inflight` submissions unanswered at any time. */
  | { readonly kind: 'single'; readonly inflight: number; readonly ms: number }
  /** The same with batches of `size`. */
  | {
      readonly kind: 'batch';
      readonly size: number;
      readonly inflight: number;
      readonly ms: number;
    }
  /**
   * Submits until `halt`, and never has more than `cap` tasks submitted that are not done. A batch of
   * one is submitted as a single task.
   */
  | {
      readonly kind: 'steady';
      readonly batch: number;
      readonly inflight: number;
      readonly cap: number;
    }
  /** How many tasks the worker has handled: what `steady` holds back by. Not answered. */
  | { readonly kind: 'done'; readonly n: number }
  | { readonly kind: 'halt' }
  /** Submits `warm` and then `n` tasks `gapMs` apart; the latter carry the instant of the call as `t0`. */
  | {
      readonly kind: 'latency';
      readonly n: number;
      readonly gapMs: number;
      readonly warm: number;
    }
  /**
   * For workers, before `work`: makes `n` schedules that are due at this minute (`M H * * *`, UTC), each
   * with the data of one task whose `t0` is 0, so that its delay is the instant of its handler.
   * Answered by `result`.
   */
  | { readonly kind: 'schedule'; readonly n: number; readonly cron: string }
  /** For workers: begin to take tasks. Answered by `working`; `count` follows whenever it has grown. */
  | { readonly kind: 'work' }
  /** For workers: the delays from `t0` to the handler since last asked. Answered by `delays`. */
  | { readonly kind: 'delays' }
  /** Where node and worker are in one process: tasks that have not ended. Answered by `left`. */
  | { readonly kind: 'left' }
  /** Come to an end in good order. Answered by `bye`, when what was handled is durable. */
  | { readonly kind: 'stop' };

/** From the part. */
export type Message =
  | { readonly kind: 'ready' }
  | { readonly kind: 'working' }
  /** Tasks handled so far, each counted once; sent at most every few milliseconds. */
  | { readonly kind: 'count'; readonly n: number }
  /** `n` tasks were submitted by this command in `ms`; `acksMs` is how long single submissions took. */
  | {
      readonly kind: 'result';
      readonly n: number;
      readonly ms: number;
      readonly acksMs?: readonly number[];
    }
  | { readonly kind: 'delays'; readonly delaysMs: readonly number[] }
  /** Not exact: above zero where some are left. */
  | { readonly kind: 'left'; readonly n: number }
  | {
      readonly kind: 'bye';
      readonly submitted: number;
      readonly handled: number;
      readonly duplicates: number;
    };

export type Role = 'producer' | 'worker' | 'both';
export type MessageOf<Kind extends Message['kind']> = Extract<Message, { kind: Kind }>;
