import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

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
  const registers = [registry];
  return {
    counter: <L extends string>(name: string, help: string, labelNames: readonly L[] = []) =>
      new Counter({ name: `signalbox_${name}`, help, labelNames, registers }),
    gauge: <L extends string>(name: string, help: string, labelNames: readonly L[] = []) =>
      new Gauge({ name: `signalbox_${name}`, help, labelNames, registers }),
    histogram: <L extends string>(params: {
      name: string;
      help: string;
      buckets: number[];
      labels?: readonly L[];
    }) => {
      const { help, buckets, labels = [] } = params;
      const name = `signalbox_${params.name}`;
      return new Histogram({ name, help, buckets, labelNames: labels, registers });
    },
  };
}

/** OBS-03 */
function ofScheduling({ counter, gauge, histogram }: Makers) {
  return {
    delay: histogram({
      name: 'scheduling_delay_seconds',
      help: 'From ready to assigned, first attempts of tasks without upstream',
      buckets: SHORT,
      labels: ['class', 'tenant', 'zone'],
    }),
    depth: gauge('queue_depth', 'Ready tasks, those parked in the store included', [
      'class',
      'tenant',
    ]),
    running: gauge('running_attempts', 'Attempts that run', ['class', 'tenant']),
    transitions: counter('transitions_total', 'Facts that became durable', ['kind']),
    utilisation: gauge('worker_utilisation_ratio', 'Used share of what the workers have', [
      'resource',
    ]),
    heartbeats: counter('heartbeats_total', 'Heartbeats of workers'),
    failures: counter('task_failures_total', 'Attempts that did not succeed', ['class', 'reason']),
    runDuration: histogram({
      name: 'run_duration_seconds',
      help: 'From submission to the end of a run',
      buckets: LONG,
      labels: ['class', 'state'],
    }),
    windowLateness: histogram({
      name: 'window_lateness_seconds',
      help: 'From the planned start of a window to its run',
      buckets: SHORT,
    }),
    windowsSkipped: counter('windows_skipped_total', 'Windows of schedules that got no run', [
      'schedule',
      'reason',
    ]),
    costCpu: counter('cost_cpu_seconds_total', 'Requested cpus times seconds held', ['tenant']),
    costMemory: counter('cost_memory_mb_seconds_total', 'Requested memory times seconds held', [
      'tenant',
    ]),
  };
}

/** OBS-04 and OBS-05, under the names of those rows. */
function ofDispatch({ counter, gauge, histogram }: Makers) {
  return {
    pollingLatency: histogram({
      name: 'polling_latency_ms',
      help: 'How long one group of decisions took to become durable',
      buckets: MILLISECONDS,
    }),
    dispatchedPerSecond: gauge('jobs_dispatched_per_second', 'Over the last minute'),
    dispatchFailures: counter('dispatch_failures', 'Assignments that no worker took up'),
    leadershipChanges: counter('leadership_changes', 'Partitions gained or lost'),
    lag: gauge('lag_seconds', 'How long the oldest ready task has been waiting'),
    dispatched: counter('jobs_dispatched_total', 'Attempts that were assigned to a worker'),
    dispatchDuration: histogram({
      name: 'dispatch_duration_seconds',
      help: 'From assigned to accepted by the worker',
      buckets: SHORT,
    }),
    pending: gauge('pending_jobs', 'Ready tasks in all'),
    isLeader: gauge('is_leader', 'Whether this node owns a partition'),
    partitions: gauge('partitions_owned', 'Partitions that this node owns'),
    processed: counter('jobs_processed_total', 'Runs that ended'),
    succeeded: counter('jobs_succeeded_total', 'Runs that ended as SUCCEEDED'),
    failed: counter('jobs_failed_total', 'Runs that ended in another way, but for CANCELLED'),
    processing: histogram({
      name: 'processing_duration_seconds',
      help: 'From assigned to the end of an attempt',
      buckets: LONG,
      labels: ['class'],
    }),
    schedulers: gauge('active_schedulers', 'Nodes that own a partition'),
    workers: gauge('active_workers', 'Workers that are attached to this node'),
    streamLag: gauge('stream_lag', 'Commands that wait to be decided'),
  };
}

function ofNode({ counter, gauge, histogram }: Makers) {
  return {
    submitted: counter('runs_submitted_total', 'Runs that were accepted', ['class', 'tenant']),
    commits: counter('commits_total', 'Groups that became durable'),
    storeCalls: counter('store_calls_total', 'Calls of the store', ['method']),
    storeUp: gauge('store_up', 'Whether the store took what was last written'),
    dropped: counter('reports_dropped_total', 'What workers said and nobody had room for'),
    eventLoop: gauge('event_loop_lag_seconds', 'Delay of the event loop since the last scrape', [
      'quantile',
    ]),
    memory: gauge('process_resident_memory_bytes', 'Memory of the process'),
    requests: counter('http_requests_total', 'Requests that were answered', [
      'method',
      'route',
      'status',
    ]),
    requestDuration: histogram({
      name: 'http_request_duration_seconds',
      help: 'From the first byte to the answer',
      buckets: SHORT,
      labels: ['route'],
    }),
  };
}
