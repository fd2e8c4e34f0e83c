import { invariant } from './assert.ts';
import { add, clampToZero, fits, NO_RESOURCES, type Resources, subtract } from './resources.ts';
import type { Shape } from './shape.ts';
import { type Level, Worker, type WorkerInfo, type WorkerKind } from './worker.ts';

/** Transitions remembered between levels; a fleet of very mixed requests forgets and starts anew. */
const LEVELS_MAX = 100_000;

/**
 * The workers this node knows, indexed so that a placement does not scan the fleet: schedulable
 * workers of one kind with equal free resources share a level, and moving a worker to the
 * neighbouring level after a familiar request is two array look-ups.
 */
export class WorkerIndex {
  readonly workers = new Map<string, Worker>();
  /** Levels that have members with a free slot; the candidates of every placement. */
  readonly levels: Level[] = [];
  /** The whole fleet's capacity: what a tenant's share is a share of. */
  total: Resources = NO_RESOURCES;
  readonly #zones = new Map<string, number>();
  readonly #zoneIds = new Map<string, number>();
  /** Ids of zones that have no worker any more, to be given out again. */
  readonly #freeZoneIds: number[] = [];
  readonly #kinds = new Map<string, KindUse>();
  #kindsMade = 0;
  readonly #levelsByKey = new Map<string, Level>();

  get zoneCount(): number {
    return this.#zones.size;
  }

  /** What is kept in memory about workers, beside themselves. */
  get remembered(): { kinds: number; levels: number; zones: number } {
    return {
      kinds: this.#kinds.size,
      levels: this.#levelsByKey.size,
      zones: this.#zoneIds.size,
    };
  }

  attach(params: { info: WorkerInfo; foreignUse: Resources; now: number }): Worker {
    const worker = new Worker({
      info: params.info,
      workerKind: this.#useKind(params.info),
      foreignUse: params.foreignUse,
      lastSeenAt: params.now,
    });
    invariant(!this.workers.has(worker.info.name), 'I16', 'a worker is attached twice');
    this.workers.set(worker.info.name, worker);
    this.total = add(this.total, worker.info.total);
    this.#countZone(worker.info.zone, 1);
    this.refresh(worker);
    return worker;
  }

  detach(worker: Worker): void {
    this.#leave(worker);
    this.workers.delete(worker.info.name);
    this.total = subtract(this.total, worker.info.total);
    this.#leaveKind(worker.info);
    this.#countZone(worker.info.zone, -1);
  }

  take(worker: Worker, shape: Shape): void {
    const level = worker.level;
    if (level === null) {
      worker.free = subtract(worker.free, shape.request);
      return;
    }
    let next = level.afterTake[shape.id];
    if (next === undefined) {
      next = this.#levelAt(level.kind, subtract(level.free, shape.request));
      level.afterTake[shape.id] = next;
    }
    this.#move(worker, next);
  }

  give(worker: Worker, shape: Shape): void {
    if (worker.overdrawn) return this.refresh(worker);
    const level = worker.level;
    if (level === null) {
      worker.free = add(worker.free, shape.request);
      return;
    }
    let next = level.afterGive[shape.id];
    if (next === undefined) {
      next = this.#levelAt(level.kind, add(level.free, shape.request));
      level.afterGive[shape.id] = next;
    }
    this.#move(worker, next);
  }

  /** Recomputes what is free from what is held; after a change of status or of foreign use. */
  refresh(worker: Worker): void {
    let free = subtract(worker.info.total, worker.foreignUse);
    for (const attempt of worker.attempts) free = subtract(free, attempt.shape.request);
    worker.free = clampToZero(free);
    worker.overdrawn = !fits(free, NO_RESOURCES);
    if (worker.status === 'healthy' && worker.reservedFor === null) {
      this.#move(worker, this.#levelAt(worker.workerKind, worker.free));
    } else this.#leave(worker);
  }

  #countZone(zone: string, by: 1 | -1): void {
    const count = (this.#zones.get(zone) ?? 0) + by;
    if (count > 0) this.#zones.set(zone, count);
    else {
      this.#zones.delete(zone);
      this.#freeZoneIds.push(this.#zoneIds.get(zone) as number);
      this.#zoneIds.delete(zone);
    }
  }

  #move(worker: Worker, to: Level): void {
    this.#leave(worker);
    worker.free = to.free;
    worker.level = to;
    worker.levelIndex = to.members.length;
    to.members.push(worker);
    if (to.position < 0 && to.free.slots > 0) {
      to.position = this.levels.length;
      this.levels.push(to);
    }
  }

  #leave(worker: Worker): void {
    const level = worker.level;
    if (level === null) return;
    const last = level.members.pop() as Worker;
    if (last !== worker) {
      level.members[worker.levelIndex] = last;
      last.levelIndex = worker.levelIndex;
    }
    worker.level = null;
    if (level.members.length > 0 || level.position < 0) return;
    const end = this.levels.pop() as Level;
    if (end !== level) {
      this.levels[level.position] = end;
      end.position = level.position;
    }
    level.position = -1;
  }

  #levelAt(kind: WorkerKind, free: Resources): Level {
    const key = `${kind.id}|${free.cpuMilli}|${free.memoryMb}|${free.gpu}|${free.diskMb}|${free.slots}`;
    let level = this.#levelsByKey.get(key);
    if (level !== undefined) return level;
    if (this.#levelsByKey.size >= LEVELS_MAX) this.#forgetEmptyLevels();
    level = {
      kind,
      free,
      members: [],
      position: -1,
      afterTake: [],
      afterGive: [],
      standing: [],
    };
    this.#levelsByKey.set(key, level);
    kind.levels.add(key);
    return level;
  }

  #forgetEmptyLevels(): void {
    for (const [key, level] of this.#levelsByKey) {
      if (level.members.length === 0) {
        this.#levelsByKey.delete(key);
        level.kind.levels.delete(key);
      }
      level.afterTake.length = 0;
      level.afterGive.length = 0;
    }
  }

  #zoneIdOf(zone: string): number {
    const id = this.#zoneIds.get(zone) ?? this.#freeZoneIds.pop() ?? this.#zoneIds.size;
    this.#zoneIds.set(zone, id);
    return id;
  }

  #useKind(info: WorkerInfo): WorkerKind {
    const key = kindKey(info);
    let use = this.#kinds.get(key);
    if (use === undefined) {
      const { zone, labels, executors, total } = info;
      const zoneId = this.#zoneIdOf(zone);
      const id = this.#kindsMade++;
      const kind = { id, zone, zoneId, labels, executors, total, levels: new Set<string>() };
      use = { kind, workers: 0 };
      this.#kinds.set(key, use);
    }
    use.workers++;
    return use.kind;
  }

  /**
   * A kind goes with its last worker, and so do its levels. Where every machine has a label of its own,
   * its name for instance, each start of one is a new kind, and a fleet that grows and shrinks with its
   * work would fill the memory of the node.
   */
  #leaveKind(info: WorkerInfo): void {
    const key = kindKey(info);
    const use = this.#kinds.get(key);
    if (use === undefined || --use.workers > 0) return;
    this.#kinds.delete(key);
    for (const level of use.kind.levels) this.#levelsByKey.delete(level);
  }
}

interface KindUse {
  readonly kind: WorkerKind;
  workers: number;
}

function kindKey(info: WorkerInfo): string {
  const labels = Object.entries(info.labels).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  const t = info.total;
  return JSON.stringify([
    info.zone,
    labels,
    [...info.executors].sort(),
    [t.cpuMilli, t.memoryMb, t.gpu, t.diskMb, t.slots],
  ]);
}
