import type { Evidence } from '../evidence.ts';
import { runKey } from '../names.ts';
import type { OpenStream, StreamLog } from '../stream-log.ts';
import type { ToldEvents } from './told-events.ts';

/** An event arrives within this time of its commit, from a node that can reach its store and its client. */
const ARRIVAL_MS = 5_000;

/**
 * Liveness of event streams: the stream of a tenant is owed the events of the partitions that its node owns,
 * the stream of a run those of the run and its end, on whichever node it is open.
 */
export class OwedEvents {
  readonly #told: ToldEvents;
  /** By scheduler process: since when it owns which partitions. */
  readonly #owned: ReadonlyMap<string, ReadonlyMap<number, number>>;

  constructor({ events }: Evidence, told: ToldEvents) {
    this.#told = told;
    const owned = new Map<string, Map<number, number>>();
    const newest = new Map<number, number>();
    for (const event of events) {
      if (event.kind === 'lease.acquired') {
        newest.set(event.partition, Math.max(event.epoch, newest.get(event.partition) ?? 0));
      }
    }
    for (const event of events) {
      if (event.kind === 'node.down') owned.delete(event.node);
      if (event.kind === 'lease.lost') owned.get(event.node)?.delete(event.partition);
      // A lease that ends before its node hears of it is lost without a word: it is not the newest one.
      if (event.kind !== 'lease.acquired' || event.epoch !== newest.get(event.partition)) continue;
      const partitions = owned.get(event.node) ?? new Map<number, number>();
      owned.set(event.node, partitions.set(event.partition, event.t));
    }
    this.#owned = owned;
  }

  /** What an open stream lacks, by how far its client has come; null if it has everything. */
  problemOf(log: StreamLog, reached: ReadonlyMap<number, number>): string | null {
    const { open, run } = log;
    if (open === null || open.untilMs - open.sinceMs < ARRIVAL_MS) return null;
    if (run === null) return this.#ofTenant(log, open, reached);
    const from = reached.get(run.partition);
    if (from === undefined) return `it is open on ${open.node}, and nothing has arrived`;
    if (this.#told.endedAtMs(runKey(run)) < open.untilMs - ARRIVAL_MS) {
      return `it is open on ${open.node} although its run has ended`;
    }
    return this.#silence(log, open, { partition: run.partition, from });
  }

  #ofTenant(log: StreamLog, open: OpenStream, reached: ReadonlyMap<number, number>): string | null {
    for (const [partition, ownedSinceMs] of this.#owned.get(open.node) ?? []) {
      if (open.untilMs - ownedSinceMs < ARRIVAL_MS) continue;
      // Without a position of the partition the stream is owed what is committed after it has begun.
      const startMs = Math.max(open.sinceMs, ownedSinceMs) + ARRIVAL_MS;
      const from = reached.get(partition) ?? this.#told.positionAt(partition, startMs);
      const problem = this.#silence(log, open, { partition, from });
      if (problem !== null) return problem;
    }
    return null;
  }

  #silence(
    log: StreamLog,
    { node, untilMs }: OpenStream,
    { partition, from }: { readonly partition: number; readonly from: number },
  ): string | null {
    let missing = 0;
    for (const { t } of this.#told.after(log, partition, from)) {
      if (t < untilMs - ARRIVAL_MS) missing++;
    }
    if (missing === 0) return null;
    return `it is open on ${node}, and ${missing} events of partition ${partition} have not arrived`;
  }
}
