import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Fact } from '@signalbox/engine';
import type { Store } from '@signalbox/store';
import { Registry } from 'prom-client';

import type { CommitLoop, LoopEvent } from '../loop/index.ts';
import type { EventOutcome } from '../triggers/event-counts.ts';
import { boundedLabel } from './bounded-label.ts';
import { defineMetrics, type MetricSet } from './definitions.ts';
import { FactCounts, type FailedAttempt } from './fact-counts.ts';
import { scrapeLoop } from './scrape-gauges.ts';

const TENANTS_MAX = 200;
const ZONES_MAX = 50;

/** What is measured on this node. Fed by the loop's ports; gauges are read when somebody asks. */
export class NodeMetrics {
  readonly registry = new Registry();
  readonly #set: MetricSet;
  readonly #facts: FactCounts;
  readonly #loop: () => CommitLoop;
  readonly #store: Store;
  readonly #eventLoop: ReturnType<typeof monitorEventLoopDelay>;
  readonly #tenant = boundedLabel(TENANTS_MAX);
  /** What commits and beats have shown last. */
  #isStoreAway = false;

  constructor(params: {
    loop: () => CommitLoop;
    store: Store;
    /** Jobs that are counted by name. */
    jobs?: number;
    onFailure?: (failed: FailedAttempt) => void;
  }) {
    this.#loop = params.loop;
    this.#store = params.store;
    this.#set = defineMetrics(this.registry);
    this.#facts = new FactCounts({
      set: this.#set,
      runs: (partition) => params.loop().engine.core.books.get(partition)?.runs,
      tenant: this.#tenant,
      zone: boundedLabel(ZONES_MAX),
      zoneOf: (worker) => params.loop().engine.core.workers.workers.get(worker)?.info.zone,
      now: () => performance.now(),
      jobs: params.jobs ?? 0,
      ...(params.onFailure === undefined ? {} : { onFailure: params.onFailure }),
    });
    this.#eventLoop = monitorEventLoopDelay({ resolution: 100 });
    this.#eventLoop.enable();
  }

  published(partition: number, facts: readonly Fact[]): void {
    this.#facts.published(partition, facts);
  }

  observe(event: LoopEvent): void {
    switch (event.kind) {
      case 'committed':
        this.#set.commits.add();
        this.#set.pollingLatency.observe(event.ms);
        return;
      case 'leaseAcquired':
        this.#set.leadershipChanges.add();
        return;
      case 'leaseLost':
        this.#set.leadershipChanges.add();
        this.#facts.forget(event.partition);
        return;
      case 'groupRefused':
        this.#set.commitsRefused.add();
        return;
      case 'partitionRead':
        this.#facts.takenOver(event.partition, event.runs);
        return;
      case 'storeAway':
        this.#isStoreAway = true;
        return;
      case 'storeBack':
        this.#isStoreAway = false;
        return;
      case 'reportDropped':
        this.#set.dropped.add();
        return;
      default:
    }
  }

  swept(outcome: 'swept' | 'refused' | 'failed'): void {
    this.#set.sweeps.of(outcome).add();
  }

  blobsCollected(count: number): void {
    this.#set.blobsCollected.add(count);
  }

  rowDamaged(kind: string): void {
    this.#set.damagedRows.of(kind).add();
  }

  storeCalled(method: string): void {
    this.#set.storeCalls.of(method).add();
  }

  event(outcome: EventOutcome, count: number): void {
    this.#set.events.of(outcome).add(count);
  }

  beat(): void {
    this.#set.heartbeats.add();
  }

  /** `route` is the declared address, never the one that was sent: that would be a series each. */
  request(params: { method: string; route: string; status: number; ms: number }): void {
    const { method, route, status, ms } = params;
    this.#set.requests.of(method, route, String(status)).add();
    this.#set.requestDuration.of(route).observe(ms / 1_000);
  }

  async text(): Promise<string> {
    scrapeLoop({ set: this.#set, loop: this.#loop(), tenant: this.#tenant });
    this.#set.dispatchedPerSecond.set(this.#facts.rate.perSecond());
    for (const quantile of [50, 99]) {
      const lag = this.#eventLoop.percentile(quantile) / 1e9;
      this.#set.eventLoop.set({ quantile: String(quantile / 100) }, Number.isFinite(lag) ? lag : 0);
    }
    this.#eventLoop.reset();
    this.#set.memory.set(process.memoryUsage.rss());
    const isRead = await this.#scrapeLeases();
    // Worked out for each scrape: a failed one must not outlast its cause.
    this.#set.storeUp.set(isRead && !this.#isStoreAway ? 1 : 0);
    return this.registry.metrics();
  }

  stop(): void {
    this.#eventLoop.disable();
  }

  /**
   * The metrics of a node whose store is away are wanted most: these gauges keep their last value.
   * Returns whether the store could be read.
   */
  async #scrapeLeases(): Promise<boolean> {
    try {
      const now = await this.#store.now();
      this.#set.storeClock.set((now - Date.now()) / 1_000);
      const leases = await this.#store.listLeases();
      const owners = leases.filter((l) => l.expiresAtMs > now).map((l) => l.owner);
      this.#set.schedulers.set(new Set(owners).size);
      return true;
    } catch {
      return false;
    }
  }
}
