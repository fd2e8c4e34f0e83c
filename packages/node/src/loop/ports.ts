import type { Effect, Fact, FollowedEnd, Random, Run } from '@signalbox/engine';
import type { InboxEntry } from '@signalbox/store';

/**
 * Everything the loop needs of the world. The node hands in real clocks, timers and sockets, the
 * simulator its own; the loop cannot tell.
 */
export interface LoopPorts {
  /** Milliseconds that never fall and know nothing of the calendar. */
  monotonicMs(): number;
  /** Calls back once, not before `ms` have passed; answers how to take it back. */
  after(ms: number, callback: () => void): () => void;
  /** Calls back when the current turn is over, so that what arrives together is decided together. */
  defer(callback: () => void): void;
  readonly random: Random;
  /** Effects whose facts are durable, in order. Must not throw. */
  release(effects: readonly Effect[]): void;
  /**
   * Facts of one partition that have just become durable as its group `seq`, in order. Must not throw
   * or keep the list.
   */
  published?(partition: number, facts: readonly Fact[], seq: number): void;
  /**
   * Runs that follow from the end of another: they go into the inbox of their partitions in the commit
   * of that end, so that no crash can have one without the other. Must not throw.
   */
  follow?(end: FollowedEnd): readonly InboxEntry[];
  /**
   * A payload that was put down long ago, as a run that starts now can keep it. Rejects where that
   * cannot be done at the moment.
   */
  renewPayload?(tenant: string, payload: Uint8Array): Promise<Uint8Array>;
  /** Something noteworthy, for logs and metrics; never needed for correctness. */
  observe?(event: LoopEvent): void;
}

export type LoopEvent =
  | { readonly kind: 'committed'; readonly facts: number; readonly ms: number }
  | {
      readonly kind: 'leaseAcquired';
      readonly partition: number;
      readonly epoch: number;
      readonly trustedUntilMs: number;
    }
  | {
      readonly kind: 'leaseRenewed';
      readonly partitions: readonly number[];
      readonly trustedUntilMs: number;
    }
  | {
      readonly kind: 'leaseLost';
      readonly partition: number;
      readonly why: 'fenced' | 'lost' | 'released' | 'refused';
    }
  /** The store will not take what was decided in a partition: the partition is given up. */
  | {
      readonly kind: 'groupRefused';
      readonly partition: number;
      readonly error: string;
      /** Before this node takes the partition again. */
      readonly retryMs: number;
    }
  /** A partition could not be read in; the next try comes after `retryMs`. */
  | {
      readonly kind: 'takeOverFailed';
      readonly partition: number;
      readonly error: string;
      readonly retryMs: number;
    }
  /** A partition has been read in; nothing has been decided about its runs yet. */
  | {
      readonly kind: 'partitionRead';
      readonly partition: number;
      readonly runs: ReadonlyMap<number, Run>;
    }
  | {
      readonly kind: 'takenOver';
      readonly partition: number;
      readonly live: number;
      readonly ms: number;
    }
  | { readonly kind: 'storeAway'; readonly error: string }
  | { readonly kind: 'storeBack' }
  | { readonly kind: 'paused'; readonly fromClass: number }
  | { readonly kind: 'commitUnknown' }
  | { readonly kind: 'keyTaken' }
  | { readonly kind: 'reportDropped' }
  | { readonly kind: 'checkpointed'; readonly partition: number; readonly bytes: number };

export interface LoopSettings {
  /** How many partitions there are in all; the same on every node. */
  readonly partitions: number;
  readonly leaseMs: number;
  readonly beatMs: number;
  /** A lease is trusted for this much less than its length. */
  readonly trustMarginMs: number;
  /** Facts that may wait for a commit before the loop takes no more commands. */
  readonly pendingFactsMax: number;
  /**
   * Facts that mail may add in one turn. A store may commit on this very thread: what a turn decides
   * bounds how long everything else, the renewal of leases among it, waits for it.
   */
  readonly turnFactsMax: number;
  /** The same while a store that is somewhere else has nothing to do: it begins as soon as it can. */
  readonly idleTurnFactsMax: number;
  /**
   * Bytes of payloads that may wait for a commit before no further command is decided. A store refuses
   * a statement that is too large, and would refuse it however often it is repeated.
   */
  readonly groupBytesMax: number;
  /** Commands that may wait to be decided; beyond it clients are told to come back later. */
  readonly mailboxMax: number;
  /** The same in bytes of their payloads. */
  readonly mailboxBytesMax: number;
  /** A commit slower than this is slow; P2 is paused when that lasts. */
  readonly slowCommitMs: number;
  readonly slowForMs: number;
  readonly retryMs: number;
  /** After so many failed tries of a commit, with a store that can be read, its partitions are given up. */
  readonly commitTriesMax: number;
  /** A checkpoint is written after this many facts, and after twice the number of live runs. */
  readonly checkpointFacts: number;
  /** Or after this many bytes of facts, and twice what the last one took: a take-over reads all of them. */
  readonly checkpointBytes: number;
  readonly inboxPollMs: number;
  /** How often changes of schedules and jobs by other nodes are looked for. */
  readonly schedulePollMs: number;
}

export const DEFAULT_LOOP_SETTINGS: LoopSettings = {
  partitions: 16,
  leaseMs: 5_000,
  beatMs: 1_500,
  trustMarginMs: 1_000,
  pendingFactsMax: 20_000,
  groupBytesMax: 16_777_216,
  turnFactsMax: 8_000,
  idleTurnFactsMax: 1_500,
  mailboxMax: 50_000,
  mailboxBytesMax: 67_108_864,
  slowCommitMs: 100,
  slowForMs: 5_000,
  retryMs: 100,
  commitTriesMax: 10,
  checkpointFacts: 100_000,
  checkpointBytes: 67_108_864,
  inboxPollMs: 5_000,
  schedulePollMs: 1_000,
};
