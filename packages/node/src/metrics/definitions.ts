import { Gauge, type Registry } from 'prom-client';
import { Counter } from './counter.ts';
import { Histogram } from './histogram.ts';
import { type LabelNames, register, type Scraped } from './series.ts';

const SHORT = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 60];
const LONG = [0.01, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 900, 3_600, 14_400, 86_400];
const MILLISECONDS = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, 5_000];

export type MetricSet = ReturnType<typeof defineMetrics>;

/** Every metric of a node; docs/metrics.md lists them, and a test compares. */
export function defineMetrics(registry: Registry) {
  const make = makers(registry);
  return { ...ofScheduling(make), ...ofDispatch(make), ...ofNode(make) };
}

type Makers = ReturnType<typeof makers>;

function makers(registry: Registry) {
  const registered = <M extends Scraped>(metric: M): M => {
    register(registry, metric);
    return metric;
  };
  const counters = <const L extends LabelNames>(name: string, help: string, labels: L) =>
    registered(new Counter({ name: `signalbox_${name}`, help, labels }));
  const histograms = <const L extends LabelNames>(params: {
    name: string;
    help: string;
    bounds: readonly number[];
    labels: L;
  }) => registered(new Histogram({ ...params, name: `signalbox_${params.name}` }));
  return {
    counters,
    histograms,
    /** Without labels there is one series, shown from the start. */
    counter: (name: string, help: string) => counters(name, help, []).of(),
    /** With `_total`, and without it as the requirement names it. */
    aliasedCounter: (name: string, help: string) => {
      const metric = counters(`${name}_total`, help, []);
      registered(metric.alias(`signalbox_${name}`));
      return metric.of();
    },
    histogram: (params: { name: string; help: string; bounds: readonly number[] }) =>
      histograms({ ...params, labels: [] }).of(),
    /** Set when somebody asks, so the library's own is quick enough. */
    gauge: <L extends string>(name: string, help: string, labelNames: readonly L[] = []) =>
      new Gauge({ name: `signalbox_${name}`, help, labelNames, registers: [registry] }),
  };
}

/** OBS-03 */
function ofScheduling({ counter, counters, gauge, histogram, histograms }: Makers) {
  return {
    delay: histograms({
      name: 'scheduling_delay_seconds',
      help: 'Time from ready to assigned, for first attempts of tasks without upstream tasks',
      bounds: SHORT,
      labels: ['priority', 'tenant', 'zone'],
    }),
    depth: gauge('queued_tasks', 'Ready tasks, including those parked in the store', [
      'priority',
      'tenant',
    ]),
    running: gauge('running_attempts', 'Running attempts', ['priority', 'tenant']),
    transitions: counters('facts_committed_total', 'Committed facts', ['kind']),
    utilisation: gauge('worker_utilisation_ratio', 'Used fraction of worker capacity', [
      'resource',
    ]),
    heartbeats: counter('heartbeats_total', 'Heartbeats received from workers'),
    failures: counters('attempt_failures_total', 'Attempts that did not succeed', [
      'priority',
      'reason',
    ]),
    runDuration: histograms({
      name: 'run_duration_seconds',
      help: 'Time from the submission to the end of a run',
      bounds: LONG,
      labels: ['priority', 'state'],
    }),
    jobRunDuration: histograms({
      name: 'job_run_duration_seconds',
      help: 'Time from the submission to the end of a run, by job; empty unless metrics-jobs is set',
      bounds: LONG,
      labels: ['tenant', 'job', 'state'],
    }),
    jobFailures: counters(
      'job_attempt_failures_total',
      'Attempts that did not succeed, by job; empty unless metrics-jobs is set',
      ['tenant', 'job', 'reason'],
    ),
    windowLateness: histogram({
      name: 'window_lateness_seconds',
      help: 'Time from the planned start of a window to its run',
      bounds: SHORT,
    }),
    windowsSkipped: counters('windows_skipped_total', 'Schedule windows that were skipped', [
      'schedule',
      'reason',
    ]),
    events: counters('events_total', 'Events by outcome; each matching trigger counts separately', [
      'outcome',
    ]),
    costCpu: counters('cost_cpu_seconds_total', 'Requested CPUs times the seconds they were held', [
      'tenant',
    ]),
    costMemory: counters(
      'cost_memory_byte_seconds_total',
      'Requested memory in bytes times the seconds it was held',
      ['tenant'],
    ),
  };
}

/** OBS-04 and OBS-05, under the names of those rows. */
function ofDispatch({ aliasedCounter, counter, gauge, histogram, histograms }: Makers) {
  return {
    pollingLatency: histogram({
      name: 'polling_latency_ms',
      help: 'Commit duration in milliseconds',
      bounds: MILLISECONDS,
    }),
    dispatchedPerSecond: gauge(
      'jobs_dispatched_per_second',
      'Attempts assigned to a worker per second, over the last minute',
    ),
    dispatchFailures: aliasedCounter('dispatch_failures', 'Assignments that no worker accepted'),
    leadershipChanges: aliasedCounter('leadership_changes', 'Partitions gained or lost'),
    lag: gauge('lag_seconds', 'Waiting time of the oldest ready task'),
    dispatched: counter('jobs_dispatched_total', 'Attempts assigned to a worker'),
    dispatchDuration: histogram({
      name: 'dispatch_duration_seconds',
      help: 'Time from assigned to accepted by the worker',
      bounds: SHORT,
    }),
    pending: gauge('pending_jobs', 'Ready tasks of all tenants and priorities'),
    isLeader: gauge('is_leader', '1 if this node owns a partition, otherwise 0'),
    partitions: gauge('partitions_owned', 'Partitions that this node owns'),
    processed: counter('jobs_processed_total', 'Ended runs'),
    succeeded: counter('jobs_succeeded_total', 'Runs that ended as SUCCEEDED'),
    failed: counter('jobs_failed_total', 'Runs that ended as FAILED or PARTIAL'),
    processing: histograms({
      name: 'processing_duration_seconds',
      help: 'Time from assigned to the end of an attempt',
      bounds: LONG,
      labels: ['priority'],
    }),
    schedulers: gauge('active_schedulers', 'Nodes that own a partition'),
    workers: gauge('active_workers', 'Workers attached to this node'),
    streamLag: gauge('stream_lag', 'Commands that wait for a decision'),
  };
}

function ofNode({ counter, counters, gauge, histograms }: Makers) {
  return {
    submitted: counters('runs_submitted_total', 'Accepted runs', ['priority', 'tenant']),
    commits: counter('commits_total', 'Successful commits'),
    commitsRefused: counter(
      'commits_refused_total',
      'Partitions released because the store refused their commit',
    ),
    damagedRows: counters('damaged_rows_total', 'Stored rows that could not be read', ['kind']),
    storeCalls: counters('store_calls_total', 'Store calls', ['method']),
    sweeps: counters('retention_sweeps_total', 'Retention sweeps by outcome', ['outcome']),
    blobsCollected: counter('blobs_deleted_total', 'Blobs deleted by retention'),
    storeClock: gauge(
      'store_clock_offset_seconds',
      "The store's clock minus this machine's calendar clock, at the last scrape that reached the store",
    ),
    storeUp: gauge(
      'store_up',
      '1 if the last write and the read of this scrape succeeded, otherwise 0',
    ),
    dropped: counter('worker_reports_dropped_total', 'Worker reports dropped under load'),
    eventLoop: gauge('event_loop_lag_seconds', 'Event loop delay since the last scrape', [
      'quantile',
    ]),
    memory: gauge('process_resident_memory_bytes', 'Resident memory of the process'),
    requests: counters('http_requests_total', 'Handled requests', ['method', 'route', 'status']),
    requestDuration: histograms({
      name: 'http_request_duration_seconds',
      help: 'Time from the first byte of a request to the response',
      bounds: SHORT,
      labels: ['route'],
    }),
  };
}
