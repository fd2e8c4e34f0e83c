import { preferredOwner } from '@signalbox/engine';
import type { Store } from '@signalbox/store';
import { asStoreError } from './committer.ts';
import { HoldOff } from './hold-off.ts';
import type { LoopPorts, LoopSettings } from './ports.ts';
import type { ServerTime } from './server-time.ts';

/** A partition that this node holds, or is reading in. */
export interface Held {
  readonly partition: number;
  readonly epoch: number;
  nextSeq: number;
  /** Not trusted past this time of the monotonic clock. */
  trustedUntilMs: number;
  phase: 'loading' | 'live' | 'leaving';
  /** Facts written since the last checkpoint, and the bytes that they take in the journal. */
  factsSinceCheckpoint: number;
  /** The last group that a checkpoint is known to hold. */
  checkpointSeq: number;
  bytesSinceCheckpoint: number;
}

export interface LeaseHost {
  /** The partition is this node's: read it in. */
  acquired(held: Held): void;
  /** It is not any more. */
  lost(partition: number): void;
  /** Another node should have it; let go when nothing of it is under way. */
  handOver(partition: number): void;
  /** A beat went through (or not) although leases are held. */
  beatDone(ok: boolean): void;
}

/**
 * Who owns what. The lease bounds waiting, the epoch in every commit gives safety: a node that
 * wrongly believes in its lease can annoy, but cannot write (I8, I9).
 */
export class Leases {
  readonly held = new Map<number, Held>();
  readonly holdOff: HoldOff;
  readonly #store: Store;
  readonly #ports: LoopPorts;
  readonly #settings: LoopSettings;
  readonly #time: ServerTime;
  readonly #host: LeaseHost;
  readonly #node: { readonly name: string; readonly address: string };
  /** The live nodes that the last beat was told of; none before the first, or since one failed. */
  #nodes: readonly string[] = [];
  #acquiring = new Set<number>();
  #fences = 0;
  #cancelTimer: () => void = () => {};
  #stopped = false;
  #beating = false;

  constructor(params: {
    store: Store;
    ports: LoopPorts;
    settings: LoopSettings;
    time: ServerTime;
    host: LeaseHost;
    node: { name: string; address: string };
  }) {
    this.#store = params.store;
    this.#ports = params.ports;
    this.#settings = params.settings;
    this.#time = params.time;
    this.#host = params.host;
    this.#node = params.node;
    this.holdOff = new HoldOff(params.ports, params.settings.beatMs);
  }

  start(): Promise<void> {
    return this.#beat();
  }

  stop(): void {
    this.#stopped = true;
    this.#cancelTimer();
  }

  isTrusted(partition: number): boolean {
    const held = this.held.get(partition);
    return held !== undefined && this.#ports.monotonicMs() < held.trustedUntilMs;
  }

  /** True while every lease this node holds can be relied on. */
  get allTrusted(): boolean {
    const now = this.#ports.monotonicMs();
    for (const held of this.held.values()) if (now >= held.trustedUntilMs) return false;
    return true;
  }

  /** Partitions that have been read in and are not being handed over. */
  get livePartitions(): number[] {
    return [...this.held.values()].filter((h) => h.phase === 'live').map((h) => h.partition);
  }

  /** No other node is there to write anything. False where that is not known. */
  get isAlone(): boolean {
    return this.#nodes.length === 1 && this.#nodes[0] === this.#node.name;
  }

  async #beat(): Promise<void> {
    if (this.#stopped || this.#beating) return;
    this.#beating = true;
    const askedAt = this.#ports.monotonicMs();
    // From now on this beat counts from before it was asked: an answer that takes long renews little.
    this.#arm(this.#settings.beatMs);
    try {
      const leases = [...this.held.values()].map(({ partition, epoch }) => ({ partition, epoch }));
      const { name, address } = this.#node;
      const ttlMs = this.#settings.leaseMs;
      const result = await this.#store.beat({ node: name, address, ttlMs, leases });
      if (this.#stopped) return;
      this.#time.sync(result.nowMs, askedAt);
      const trustedUntilMs = askedAt + ttlMs - this.#settings.trustMarginMs;
      for (const partition of result.lost) this.#lose(partition, leases);
      for (const partition of result.renewed) {
        const held = this.held.get(partition);
        if (held !== undefined) held.trustedUntilMs = trustedUntilMs;
      }
      this.#ports.observe?.({ kind: 'leaseRenewed', partitions: result.renewed, trustedUntilMs });
      this.#host.beatDone(true);
      this.#nodes = result.nodes.map((node) => node.node);
      this.#rebalance(this.#nodes);
    } catch (error) {
      asStoreError(error);
      this.#nodes = [];
      this.#host.beatDone(false);
    } finally {
      this.#beating = false;
    }
  }

  #arm(ms: number): void {
    this.#cancelTimer();
    this.#cancelTimer = this.#ports.after(ms, () => void this.#tick());
  }

  /** Beats on time even if the last one still waits for its answer; leases run out meanwhile. */
  async #tick(): Promise<void> {
    this.#arm(this.#settings.beatMs);
    await this.#beat();
  }

  #lose(partition: number, asked: readonly { partition: number; epoch: number }[]): void {
    const epoch = asked.find((lease) => lease.partition === partition)?.epoch;
    if (this.held.get(partition)?.epoch === epoch) this.#host.lost(partition);
  }

  #rebalance(nodes: readonly string[]): void {
    for (let partition = 0; partition < this.#settings.partitions; partition++) {
      const mine = preferredOwner(partition, nodes) === this.#node.name;
      const held = this.held.get(partition);
      if (mine && held === undefined) void this.#acquire(partition);
      else if (!mine && held?.phase === 'live' && nodes.length > 0) this.#host.handOver(partition);
    }
  }

  async #acquire(partition: number): Promise<void> {
    if (this.#acquiring.has(partition) || this.holdOff.isActive(partition)) return;
    this.#acquiring.add(partition);
    const askedAt = this.#ports.monotonicMs();
    try {
      const result = await this.#store.acquireLease({
        partition,
        owner: this.#node.name,
        ttlMs: this.#settings.leaseMs,
        commitId: `${this.#node.name}/fence-${++this.#fences}`,
      });
      if (result.kind === 'held' || this.#stopped || this.held.has(partition)) return;
      this.#time.sync(result.nowMs, askedAt);
      const trustedUntilMs = askedAt + this.#settings.leaseMs - this.#settings.trustMarginMs;
      const held: Held = {
        partition,
        epoch: result.epoch,
        nextSeq: result.seq + 1,
        trustedUntilMs,
        phase: 'loading',
        factsSinceCheckpoint: 0,
        checkpointSeq: 0,
        bytesSinceCheckpoint: 0,
      };
      this.held.set(partition, held);
      const { epoch } = result;
      this.#ports.observe?.({ kind: 'leaseAcquired', partition, epoch, trustedUntilMs });
      this.#host.acquired(held);
    } catch (error) {
      // The next beat tries again; a lease that was taken unknowingly is taken anew.
      const { kind, message } = asStoreError(error);
      if (kind === 'unavailable' || kind === 'unknown') return;
      // The store is there and refuses: a partition without an owner must not go unnoticed.
      const retryMs = this.holdOff.failed(partition);
      this.#ports.observe?.({ kind: 'takeOverFailed', partition, error: message, retryMs });
    } finally {
      this.#acquiring.delete(partition);
    }
  }
}
