import type { AttemptRef, Class, RunId } from '@signalbox/engine';
import type { RunView } from '@signalbox/node/loop';

/** What every observer saw, in the order of the reference clock `t`; nobody edits it afterwards. */
export type HistoryEvent = { readonly t: number } & (
  | ClientEvent
  | WorkerEvent
  | NodeEvent
  | StoreEvent
  | { readonly kind: 'fault'; readonly what: string; readonly on: boolean }
);

export type ClientEvent =
  | {
      readonly kind: 'submit.invoke';
      readonly op: number;
      readonly tenant: string;
      readonly job: string;
      readonly key: string | null;
      readonly unique: string | null;
      readonly dueAt: number;
      readonly inputBytes: number;
      /** The key of the request that it was part of. */
      readonly request: string | null;
      /** Its place there, where requests of other inputs are sent under the same key. */
      readonly place?: number;
    }
  | {
      readonly kind: 'submit.ok';
      readonly op: number;
      readonly id: RunId;
      readonly duplicate: boolean;
      /** Whose run it is, as the answer says. */
      readonly job: string;
    }
  /** Acknowledged by the inbox under an alias. */
  | {
      readonly kind: 'submit.inbox';
      readonly op: number;
      readonly alias: string;
      readonly job: string;
    }
  /** The request that it was part of is sent once more, long after its answer. */
  | { readonly kind: 'submit.again'; readonly op: number }
  /** What an alias led to: a run, an entry that waits, or nothing. */
  | {
      readonly kind: 'alias.read';
      readonly op: number;
      readonly alias: string;
      readonly found: RunId | 'waiting' | null;
    }
  /** What a run was submitted with, as a node gives it; null where it says that nothing is kept. */
  | {
      readonly kind: 'input.read';
      readonly op: number;
      readonly id: RunId;
      readonly invokedAt: number;
      readonly bytes: number | null;
    }
  /** An ended run is tried again: what that gave. */
  | {
      readonly kind: 'retry.ok';
      readonly invokedAt: number;
      readonly tenant: string;
      readonly of: RunId;
      readonly id: RunId;
      readonly duplicate: boolean;
    }
  /** Certainly not accepted. */
  | { readonly kind: 'submit.fail'; readonly op: number }
  /** Nobody knows. */
  | { readonly kind: 'submit.info'; readonly op: number }
  /** A node is about to put an event into the inbox. */
  | {
      readonly kind: 'event.sent';
      readonly entry: string;
      readonly tenant: string;
      readonly key: string;
      readonly n: number;
    }
  /** A connection of an event stream is over: what has come so far, and behind which id it resumes. */
  | {
      readonly kind: 'stream.cut';
      readonly watcher: string;
      readonly messages: number;
      readonly last: string | null;
    }
  | { readonly kind: 'event.ok'; readonly entry: string }
  | { readonly kind: 'cancel.ok'; readonly tenant: string; readonly id: RunId }
  | {
      readonly kind: 'schedule.saved';
      readonly tenant: string;
      readonly name: string;
      readonly version: number;
      /** As the row says: the store's clock. */
      readonly savedAt: number;
      readonly deleted: boolean;
    }
  | {
      readonly kind: 'read.ok';
      readonly invokedAt: number;
      readonly tenant: string;
      readonly id: RunId;
      /** Null: the reader was told that there is no such run. */
      readonly view: Seen | null;
      /** From a copy that may lag behind: it may be old, but never wrong about an end. */
      readonly stale: boolean;
      /** How far the answer may lie behind the question; absent for not at all. */
      readonly lagMs?: number;
    };

/** What a reader was told. */
export interface Seen {
  readonly state: RunView['state'];
  readonly endedAtMs: number | null;
  readonly tasks: readonly {
    readonly state: string;
    readonly ended: number;
    readonly live: 0 | 1;
  }[];
}

interface OfAttempt {
  readonly ref: AttemptRef;
  readonly worker: string;
  readonly instance: string;
}

export type WorkerEvent =
  | (OfAttempt & { readonly kind: 'start' })
  | (OfAttempt & { readonly kind: 'end'; readonly how: string })
  | (OfAttempt & { readonly kind: 'complete.sent'; readonly result: string })
  | (OfAttempt & {
      readonly kind: 'complete.acked';
      readonly result: string;
      readonly output: string | null;
    })
  | (OfAttempt & { readonly kind: 'complete.rejected'; readonly result: string });

export type NodeEvent =
  | { readonly kind: 'node.up' | 'node.down'; readonly node: string }
  /** `trustedUntil` is on the reference clock: translated from the node's own. */
  | {
      readonly kind: 'lease.acquired';
      readonly node: string;
      readonly partition: number;
      readonly epoch: number;
      readonly trustedUntil: number;
    }
  | {
      readonly kind: 'lease.renewed';
      readonly node: string;
      readonly partitions: readonly number[];
      readonly trustedUntil: number;
    }
  | {
      readonly kind: 'lease.lost';
      readonly node: string;
      readonly partition: number;
      readonly why: string;
    }
  | {
      readonly kind: 'dispatch';
      readonly node: string;
      readonly ref: AttemptRef;
      readonly worker: string;
      readonly class: Class;
    }
  | { readonly kind: 'fatal'; readonly node: string; readonly error: string };

export type StoreEvent =
  | {
      readonly kind: 'commit';
      readonly commitId: string;
      readonly parts: readonly {
        readonly partition: number;
        readonly epoch: number;
        readonly seq: number;
        /** Entries that left the inbox with it. */
        readonly taken?: readonly string[];
      }[];
    }
  | {
      readonly kind: 'grant';
      readonly partition: number;
      readonly epoch: number;
      readonly owner: string;
      readonly seq: number;
    }
  | { readonly kind: 'clock.step'; readonly byMs: number }
  /** So much time has passed while everything was switched off. */
  | { readonly kind: 'leap'; readonly byMs: number }
  /** By the right clock it was `trueMs`; `open`: runs in it that had not ended. */
  | {
      readonly kind: 'segment.dropped';
      readonly fromMs: number;
      readonly toMs: number;
      readonly trueMs: number;
      readonly runs: number;
      readonly open: readonly string[];
    }
  | { readonly kind: 'groups.dropped'; readonly count: number; readonly gaps: readonly string[] }
  /** Names of live runs among them, and how long ago the youngest was given. */
  | {
      readonly kind: 'keys.forgotten';
      readonly count: number;
      readonly live: readonly string[];
      readonly youngestMs: number;
    }
  /** `needed`: who refers to what was collected. */
  | {
      readonly kind: 'blobs.collected';
      readonly count: number;
      readonly needed: readonly string[];
    };

export class History {
  readonly events: HistoryEvent[] = [];
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  add(event: DistributiveOmit<HistoryEvent, 't'>): void {
    this.events.push({ t: this.#now(), ...event } as HistoryEvent);
  }
}

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

/** Two 32-bit FNV-1a sums with different starts over the text of every event: equal logs, equal hash. */
export function hashHistory(events: readonly unknown[]): string {
  let a = 0x811c9dc5;
  let b = 0x9e3779b9;
  for (const event of events) {
    const text = JSON.stringify(event);
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      a = Math.imul(a ^ code, 0x01000193);
      b = Math.imul(b ^ code, 0x85ebca6b);
      b ^= b >>> 15;
    }
  }
  return (a >>> 0).toString(16).padStart(8, '0') + (b >>> 0).toString(16).padStart(8, '0');
}
