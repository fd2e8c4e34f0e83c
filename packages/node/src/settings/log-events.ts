/** Every event that a process writes to its log; docs/logs.md lists them, and a test compares. */
export const LOG_EVENTS = {
  // Attempts, tasks and runs
  'attempt.changed': 'The state of an attempt on this worker changed; debug',
  'attempt.failed': 'An attempt failed; the run has the full error text',
  'attempt.overdue': 'An attempt took longer than twice its expectedDuration and keeps running',
  'attempt.refused': 'This worker refused an attempt; `reason` says why',
  'attempt.timed_out': 'An attempt exceeded its timeout or made no progress for too long',
  'nested_run.retried': 'Submitting or finding a nested run failed and is retried; debug',
  'notification.failed': 'A notification about a run was not delivered and is not retried',
  'notification.retried': 'Delivering a notification failed and is retried; debug',
  'run.paused': 'A run was paused automatically and waits for an operator',
  'run.stuck': 'A run makes no progress, or takes far longer than usual',
  'task.addition_refused': 'The tasks that a task wanted to add to its run were refused',
  'task.quarantined': 'A task used up its attempts and waits for an operator',
  // Schedules and triggers
  'schedule.exhausted': 'A schedule without an end has no further window',
  'schedule.failed': 'The windows of a schedule cannot be computed',
  'trigger.failed': 'The triggers of an ended run could not be evaluated',
  'trigger.refused': 'A trigger matched an event, but its run was refused',
  'window.failed': 'The input of a window could not be computed; the window was skipped',
  'window.late': 'A window started after its startingDeadline',
  // Workers and connections
  'command.isolated': 'This worker runs commands isolated from itself; `isolation` says how',
  'command.not_isolated':
    'This worker cannot isolate commands, or was told not to; `exposed` lists what they can reach',
  'effect.failed': 'An effect of a committed decision failed',
  'frame.ignored': 'A frame from a worker was ignored because its payload is too large',
  'frame.rejected': 'A frame from a worker is invalid; its attempt fails',
  'link.connected': 'This worker opened a connection to a node',
  'link.disconnected': 'A connection to a node closed; the worker reconnects',
  'link.welcomed': "A node accepted this worker's connection",
  'worker.attached': 'A worker attached to this node',
  'worker.changed': 'The state of this worker changed',
  'worker.connect_failed': "A worker's connection could not be set up",
  'worker.cordoned':
    'A worker sent heartbeats but did not accept its assignments three times in a row; it is cordoned until it reconnects, is uncordoned, or five minutes have passed',
  'worker.detached': 'A worker detached from this node; `isClean` is true if it sent `bye`',
  'worker.disconnected': "This node closed a worker's connection; `reason` says why",
  'worker.drain_requested': 'A node asked this worker to drain',
  'worker.lost': 'A worker sent no heartbeat for too long; its attempts are retried elsewhere',
  'worker.refused': 'A worker was refused because another process uses its name',
  // Partitions and the store
  'audit.entry_dropped': 'An audit entry was dropped because the store stayed unavailable',
  'commit.failed': 'The store refused a commit; the partition was released',
  'commit.unknown': 'The outcome of a commit is unknown and is being read back; debug',
  'data.exposed': 'Other users can list the data folder; `fix` is the command that prevents it',
  'definitions.read_failed':
    'Stored definitions could not be read; the node keeps using the previous ones; debug',
  'lease.acquired': 'This node acquired the lease of a partition; debug',
  'lease.lost': 'This node lost or released the lease of a partition; `reason` says which',
  'lease.renewed': 'This node renewed its leases; debug',
  'partition.checkpointed': 'A checkpoint of a partition was stored; debug',
  'partition.read_failed': 'A partition could not be read; take-over is retried',
  'partition.taken_over': 'This node took over a partition; debug',
  'report.dropped': 'A report from a worker was dropped under load; debug',
  'row.damaged': 'A stored row cannot be read and was set aside; `row` and `key` name it',
  'store.available': 'The store is available again',
  'store.failed': 'An operation failed because of a store error',
  'store.unavailable': 'The store is unavailable; the node keeps retrying',
  'submissions.paused': 'Submissions of this priority and lower ones are refused under load; debug',
  'tenant.refused': 'A stored tenant definition is not valid here and was ignored',
  // Node
  'dispatch.stalled': 'Tasks are ready, but no attempt has started for five minutes',
  'key.taken': 'A submission lost the race for its idempotency key; debug',
  'log_lines.listener_failed': 'A subscriber to log lines failed',
  'log_lines.store_failed': 'Log lines of attempts could not be stored',
  'node.failed': 'The node cannot continue and stops',
  'request.aborted': 'The client closed the connection before its request was complete; debug',
  'request.failed': 'A request failed with an unexpected error',
  'request.handled': 'A request was handled; debug',
  'request.refused': 'A request was refused: unauthenticated, forbidden or rate limited',
  'retention.failed': 'Old history could not be deleted; the next sweep retries',
  'retention.refused': 'No history was deleted because the clocks of store and node disagree',
  'retention.swept': 'Old history was deleted',
  'traces.failed': 'Traces could not be sent before the node or worker stopped',
} as const;

export type LogEvent = keyof typeof LOG_EVENTS;

/** The name of the event, and what the line is about. */
export interface LogFields {
  readonly event: LogEvent;
  readonly [field: string]: unknown;
}

type Write = (fields: LogFields, message: string) => void;

/** The part of pino that a node uses. A line without the name of an event does not compile. */
export interface Logger {
  readonly debug: Write;
  readonly info: Write;
  readonly warn: Write;
  readonly error: Write;
  readonly fatal: Write;
  isLevelEnabled(level: string): boolean;
}
