/** What must have happened at least once over a night of seeds, or the night proves little. */
export const SOMETIMES = [
  'lease taken over',
  'fenced commit refused',
  'commit unknown resolved as committed',
  'commit unknown resolved as absent',
  'duplicate completion ignored',
  'stale told',
  'attempt adopted after take-over',
  'attempt never arrived',
  'attempt lost with its worker',
  'retry exhausted',
  'permanent failure',
  'timed out',
  'stuck',
  'extended',
  'checkpoint resumed',
  'refused by worker',
  'not accepted in time',
  'drained',
  'cancelled while queued',
  'cancelled while running',
  'cancelled while pending',
  'key answered from memory',
  'key refused by the store',
  'unique merged',
  'parked and paged in',
  'due lane read',
  'fetched in',
  'checkpoint used at take-over',
  'inbox taken',
  'store away and back',
  'P2 paused by slow store',
  'mass freshen',
  'graph run finished',
  'graph failed fast',
  'run paused',
  'run resumed',
  'fan-out',
  'tasks added',
  'wait begun',
  'event kept for a later wait',
  'wait ended by an event',
  'task skipped',
  'ended partial',
  'limit held a tenant',
  'store clock stepped',
  'late append voided',
  'window fired',
  'window caught up',
  'window held',
  'windows skipped',
  'schedule edited',
  'run started by an end',
] as const;
export type Sometimes = (typeof SOMETIMES)[number];

export class Coverage {
  readonly counts: Partial<Record<Sometimes, number>> = {};

  sometimes(name: Sometimes, count = 1): void {
    if (count > 0) this.counts[name] = (this.counts[name] ?? 0) + count;
  }
}
