import { randomUUID } from 'node:crypto';
import {
  type Attempt,
  type AttemptResult,
  Engine,
  type EngineSettings,
  formatRunId,
  type JobSpec,
  NO_RESOURCES,
  partitionOf,
  type Resources,
  type RunHead,
  refOf,
} from '@signalbox/engine';
import type { JobDefinition } from '@signalbox/protocol';
import type { LogLineRow, Store } from '@signalbox/store';
import { createMemoryStore, type MemoryStore } from '@signalbox/store/memory';
import { pino } from 'pino';
import { MemoryBlobs } from '../../blobs/memory-blobs.ts';
import type { BlobStore, Caller, NodeContext, TaskLogs } from '../../context/index.ts';
import { RunFeed } from '../../feed/run-feed.ts';
import { Gateway } from '../../gateway/gateway.ts';
import { graphPorts } from '../../graph/graph-ports.ts';
import { CommitLoop, type LoopSettings } from '../../loop/index.ts';
import { realPorts } from '../../real-ports.ts';
import { SecretBox } from '../../secrets/seal.ts';
import { completionTriggers } from '../../triggers/completion-triggers.ts';
import type { EventCounts, EventOutcome } from '../../triggers/event-counts.ts';
import { watchDefinitions } from '../../triggers/watch-definitions.ts';
import { zoneOf } from '../../zones/index.ts';
import { renewPayload } from '../blobs/payloads.ts';
import { defineJob, submitRuns } from '../index.ts';
import type { SubmitItem } from '../runs/submission.ts';

/** What a worker of these tests makes of an attempt: a result, null to hold it, or not even a word. */
export type Behaviour = (attempt: Attempt) => AttemptResult | null | 'silent';

export const SUCCEED: Behaviour = () => ({ kind: 'succeeded', output: null });
export const HOLD: Behaviour = () => null;
export const SILENT: Behaviour = () => 'silent';

export function caller(more: Partial<Caller> = {}): Caller {
  return {
    key: 'tester',
    tenant: 'acme',
    role: 'admin',
    platform: false,
    ip: '127.0.0.1',
    requestId: 'r1',
    ...more,
  };
}

interface Params {
  readonly engine?: Partial<EngineSettings>;
  readonly loop?: Partial<LoopSettings>;
  readonly disk?: MemoryStore;
  readonly store?: Store;
  readonly name?: string;
  readonly blobs?: BlobStore;
}

/** A node without HTTP: loop, feed and store in memory, and workers that do as they are told. */
export class SmallNode {
  readonly context: NodeContext;
  readonly disk: MemoryStore;
  readonly feed: RunFeed;
  readonly attempts: Attempt[] = [];
  /** What became of events. */
  readonly events: Partial<Record<EventOutcome, number>> = {};
  readonly #gateway: Gateway;
  readonly #behaviours = new Map<string, Behaviour>();
  readonly #arrivals: (() => void)[] = [];
  readonly #listeners = new Set<(line: LogLineRow) => void>();

  private constructor(params: Params) {
    this.disk = params.disk ?? createMemoryStore({ now: () => Date.now() });
    const store = params.store ?? this.disk;
    this.feed = new RunFeed({ loop: () => this.context.loop, store: () => store });
    const log = pino({ level: 'silent' });
    const count: EventCounts = (outcome, by) => {
      this.events[outcome] = (this.events[outcome] ?? 0) + by;
    };
    const watches = watchDefinitions({ store, loop: () => this.context.loop, log });
    const loop: CommitLoop = new CommitLoop({
      engine: new Engine(params.engine, zoneOf, graphPorts()),
      store,
      ports: realPorts({
        release: (effects) => {
          for (const effect of effects) if (effect.kind === 'assign') this.#arrive(effect.attempt);
        },
        renewPayload: (tenant, payload) => renewPayload(this.context, tenant, payload),
        published: (partition, facts, seq) => this.feed.published(partition, facts, seq),
        observe: (event) => this.feed.observe(event),
        follow: completionTriggers({
          triggers: watches.watch.index,
          subscriptions: watches.subscriptions.index,
          partitions: () => loop.settings.partitions,
          now: () => loop.time.now(),
          count,
          log,
        }),
      }),
      settings: { partitions: 4, ...params.loop },
      node: { name: params.name ?? randomUUID(), address: '' },
      onFatal: (error) => {
        throw error;
      },
    });
    const logs: TaskLogs = {
      append: () => {},
      flush: async () => {},
      onLine: (listener) => {
        this.#listeners.add(listener);
        return () => void this.#listeners.delete(listener);
      },
    };
    this.#gateway = new Gateway({ loop, logs, name: 'small', heartbeatMs: 5_000, log });
    this.context = {
      name: 'small',
      version: '0.0.0',
      partitions: loop.settings.partitions,
      store,
      loop,
      feed: this.feed,
      fleet: this.#gateway,
      blobs: params.blobs ?? new MemoryBlobs(),
      logs,
      audit: { record: async () => {} },
      metrics: { text: async () => '' },
      triggers: { ...watches, count, secrets: new SecretBox('a key of the small node') },
      log,
    };
  }

  /** A node that never asks for a partition. */
  static idle(params: Params = {}): SmallNode {
    return new SmallNode(params);
  }

  static async start(params: Params = {}): Promise<SmallNode> {
    const node = new SmallNode(params);
    const { loop } = node.context;
    await node.context.triggers.watch.poll();
    await node.context.triggers.subscriptions.poll();
    await loop.start();
    const partitions = Array.from({ length: loop.settings.partitions }, (_, i) => i);
    while (!partitions.every((partition) => loop.owns(partition))) await turn();
    return node;
  }

  async stop(): Promise<void> {
    await this.#gateway.stop();
    await this.context.loop.stop();
  }

  attach(
    name: string,
    behaviour: Behaviour,
    more: {
      total?: Partial<Resources>;
      zone?: string;
      labels?: Readonly<Record<string, string>>;
      executors?: readonly string[];
    } = {},
  ): void {
    this.#behaviours.set(name, behaviour);
    const info = {
      name,
      instance: 'a',
      zone: more.zone ?? 'a',
      labels: more.labels ?? {},
      executors: more.executors ?? ['handler:mail', 'handler:graph'],
      total: { ...NO_RESOURCES, slots: 1_000, ...more.total },
    };
    const { loop } = this.context;
    loop.report({ kind: 'attachWorker', info, foreignUse: NO_RESOURCES, holds: [] });
  }

  finish(attempt: Attempt, result: AttemptResult): void {
    const { workerName: worker } = attempt;
    this.context.loop.report({ kind: 'finish', worker, ref: refOf(attempt), result });
  }

  /** Resolves when so many attempts have come to workers. */
  async arrived(count: number): Promise<void> {
    while (this.attempts.length < count) {
      await new Promise<void>((resolve) => this.#arrivals.push(resolve));
    }
  }

  /** A line as it comes from a worker, before it is stored. */
  print(line: LogLineRow): void {
    for (const listener of this.#listeners) listener(line);
  }

  async define(name: string, definition: JobDefinition = {}): Promise<void> {
    await defineJob(this.context, caller(), { name, definition });
  }

  async submit(item: SubmitItem): Promise<string> {
    const [submitted] = await submitRuns(this.context, caller(), { items: [item] });
    return (submitted as { id: string }).id;
  }

  /** As the node itself submits: with any head. */
  async submitAs(params: { spec: JobSpec; head: RunHead }): Promise<string> {
    const { spec, head } = params;
    const { loop } = this.context;
    const partition = partitionOf(spec.tenant, spec.job, loop.settings.partitions);
    const answer = await loop.execute({ kind: 'submit', partition, spec, head, input: null });
    if (answer.kind !== 'accepted') throw new Error('not accepted');
    return formatRunId(answer);
  }

  #arrive(attempt: Attempt): void {
    this.attempts.push(attempt);
    for (const resolve of this.#arrivals.splice(0)) resolve();
    const { workerName: worker } = attempt;
    const result = this.#behaviours.get(worker)?.(attempt) ?? null;
    if (result === 'silent') return;
    this.context.loop.report({ kind: 'accept', worker, ref: refOf(attempt) });
    if (result !== null) this.finish(attempt, result);
  }
}

export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

export function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
