import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { DEFAULT_SETTINGS, Engine, type EngineSettings } from '@signalbox/engine';
import type { Store } from '@signalbox/store';
import { checkedBlobs } from './blobs/checked-blobs.ts';
import { openBlobs } from './blobs/open-blobs.ts';
import type { NodeContext } from './context/node-context.ts';
import { RunFeed } from './feed/run-feed.ts';
import { Gateway } from './gateway/gateway.ts';
import { GraphEffects } from './graph/graph-effects.ts';
import { graphPorts } from './graph/graph-ports.ts';
import { InputResolver } from './inputs/input-resolver.ts';
import { logFailure } from './logs/log-failure.ts';
import { logLoopEvent } from './logs/log-loop-event.ts';
import { WriteBehindLogs } from './logs/write-behind-logs.ts';
import { CommitLoop, type LoopPorts } from './loop/index.ts';
import { countStoreCalls } from './metrics/count-store-calls.ts';
import { NodeMetrics } from './metrics/node-metrics.ts';
import type { NodeOptions } from './node-options.ts';
import { filePath } from './open-store.ts';
import { RefusedReports } from './operations/audit/refused-reports.ts';
import { StoreAudit } from './operations/audit/store-audit.ts';
import { renewPayload } from './operations/blobs/payloads.ts';
import { Ready } from './ready.ts';
import { realPorts } from './real-ports.ts';
import { DEFAULT_RETENTION } from './retention/retention.ts';
import { SecretReader } from './secrets/secret-reader.ts';
import type { Logger } from './settings/log-events.ts';
import { startTracing } from './tracing/start-tracing.ts';
import type { Tracing } from './tracing/tracing.ts';
import { completionTriggers } from './triggers/completion-triggers.ts';
import { secretsOf, type Triggers } from './triggers/triggers.ts';
import { watchDefinitions } from './triggers/watch-definitions.ts';
import { VERSION } from './version.ts';
import { zoneOf } from './zones/index.ts';

/** The parts of a node, put together and not yet started. */
export interface Rooms {
  readonly context: NodeContext;
  readonly loop: CommitLoop;
  readonly gateway: Gateway;
  readonly graphs: GraphEffects;
  readonly logs: WriteBehindLogs;
  readonly metrics: NodeMetrics;
  readonly refusedReports: RefusedReports;
  readonly tracing: Tracing;
  readonly ready: Ready;
}

/** The one place where every room of a node is known. */
export async function assemble(options: NodeOptions, opened: Store, log: Logger): Promise<Rooms> {
  const name = options.name ?? freshName();
  const s3 = options.blobs === undefined ? {} : { s3: options.blobs };
  const dataDir = options.dataDir ?? dataDirOf(options.store);
  // The later of the two: a blob with too late a day is kept longer, one with too early a day is not.
  const now = () => Math.max(Date.now(), loop.time.now());
  const metrics = new NodeMetrics({
    loop: () => loop,
    store: opened,
    jobs: options.metricsJobs ?? 0,
    onFailure: (failed) => logFailure(log, failed),
  });
  opened.onDamaged(({ kind, key, partition, tenant, error }) => {
    metrics.rowDamaged(kind);
    const fields = { row: kind, key, partition, tenant, reason: error };
    log.error({ event: 'row.damaged', ...fields }, 'damaged row set aside');
  });
  const store = countStoreCalls(opened, (method) => metrics.storeCalled(method));
  const blobs = checkedBlobs(await openBlobs({ dataDir, now, ...s3 }), store);
  const logs = new WriteBehindLogs({ store, log, now: () => loop.time.now() });
  const feed = new RunFeed({ loop: () => loop, store: () => store });
  const tracing = await startTracing(process.env);
  const watches = watchDefinitions({ store, loop: () => loop, log });
  const triggers: Triggers = {
    ...watches,
    count: (outcome, count) => metrics.event(outcome, count),
    ...secretsOf(options.rootKey),
  };
  const loop = makeLoop(options, {
    store,
    log,
    follow: completionTriggers({
      triggers: watches.watch.index,
      subscriptions: watches.subscriptions.index,
      partitions: () => loop.settings.partitions,
      now: () => loop.time.now(),
      count: triggers.count,
      log,
    }),
    renewPayload: (tenant, payload) => renewPayload({ blobs, loop }, tenant, payload),
    name,
    feed,
    metrics,
    gateway: () => gateway,
    graphs: () => graphs,
    ready: () => ready,
  });
  const ready = new Ready(loop, store);
  const resolver = new InputResolver(blobs);
  const audit = new StoreAudit(store, log);
  const refusedReports = new RefusedReports(audit);
  const gateway = new Gateway({
    loop,
    logs,
    name,
    heartbeatMs: loop.engine.core.settings.heartbeatMs,
    beat: () => metrics.beat(),
    reportRefused: (report) => refusedReports.add(report),
    resolver,
    secrets: new SecretReader({ store, box: triggers.secrets }),
    log,
    ...(tracing.spans === undefined ? {} : { spans: tracing.spans }),
  });
  const context: NodeContext = {
    name,
    version: VERSION,
    partitions: loop.settings.partitions,
    store,
    loop,
    feed,
    fleet: gateway,
    blobs,
    logs,
    audit,
    metrics,
    triggers,
    log,
    ...(options.retention === false
      ? {}
      : { factsMs: options.retention?.factsMs ?? DEFAULT_RETENTION.factsMs }),
    ...(options.httpTargets === undefined ? {} : { httpTargets: options.httpTargets }),
    isEveryPartitionOwned: () => ready.isEveryPartitionOwned(),
  };
  const graphs = new GraphEffects({ context: () => context, resolver });
  return { context, loop, gateway, graphs, logs, metrics, refusedReports, tracing, ready };
}

function makeLoop(
  options: NodeOptions,
  parts: {
    readonly store: Store;
    readonly log: Logger;
    readonly name: string;
    readonly feed: RunFeed;
    readonly metrics: NodeMetrics;
    readonly follow: NonNullable<LoopPorts['follow']>;
    readonly renewPayload: NonNullable<LoopPorts['renewPayload']>;
    readonly gateway: () => Gateway;
    readonly graphs: () => GraphEffects;
    readonly ready: () => Ready;
  },
): CommitLoop {
  const { store, log, feed, metrics } = parts;
  const { partitions } = options;
  return new CommitLoop({
    engine: new Engine(engineSettings(options), zoneOf, graphPorts()),
    store,
    ports: realPorts({
      release: (effects) => {
        parts.gateway().receive(effects);
        parts.graphs().receive(effects);
      },
      published: (partition, facts, seq) => {
        feed.published(partition, facts, seq);
        metrics.published(partition, facts);
      },
      follow: parts.follow,
      renewPayload: parts.renewPayload,
      observe: (event) => {
        metrics.observe(event);
        parts.ready().look();
        feed.observe(event);
        logLoopEvent(log, event);
      },
    }),
    settings: { ...(partitions === undefined ? {} : { partitions }), ...options.loop },
    // A lease is never inherited by name: what names the node there is new with every start.
    node: { name: `${parts.name}-${randomUUID()}`, address: '' },
    onFatal: (error) => {
      log.fatal({ event: 'node.failed', err: error }, 'the node cannot continue');
      parts.ready().fail(error);
      if (options.onFatal !== undefined) options.onFatal(error);
      // Embedded, the process is somebody else's: there every operation answers `unavailable`.
      else if (options.http !== false) process.exit(1);
    },
  });
}

function engineSettings({ engine, placementWeights }: NodeOptions): Partial<EngineSettings> {
  const { weights, budgets } = engine?.placement ?? DEFAULT_SETTINGS.placement;
  return { ...engine, placement: { weights: { ...weights, ...placementWeights }, budgets } };
}

/** Tells nodes apart in logs and lists, also several on one host. Leases do not depend on it. */
function freshName(): string {
  const host = hostname()
    .replace(/[^A-Za-z0-9._-]/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '');
  return `${host.slice(0, 80) || 'node'}-${randomUUID().slice(0, 8)}`;
}

function dataDirOf(address: string): string | null {
  return address.startsWith('file:') ? dirname(filePath(address)) : null;
}
