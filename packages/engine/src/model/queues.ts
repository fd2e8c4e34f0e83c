import type { Class } from './classes.ts';
import { Deque } from './deque.ts';
import { Heap, type HeapItem } from './heap.ts';
import type { Task } from './run.ts';
import type { Shape } from './shape.ts';
import type { TenantClass } from './tenant-class.ts';

/** Ready tasks of one tenant, class and shape, oldest first. */
export class TaskLane implements HeapItem {
  heapIndex = -1;
  readonly owner: TenantClass;
  readonly queue: ShapeQueue;
  readonly #fifo = new Deque<Task>();
  /** Tasks that came back (refused, drained, retried) and keep their place: few, sorted by order. */
  #returned: Task[] = [];
  #newest = 0;
  /** Tasks that wait here; entries of tasks that left are not counted. */
  size = 0;

  constructor(owner: TenantClass, queue: ShapeQueue) {
    this.owner = owner;
    this.queue = queue;
  }

  get isEmpty(): boolean {
    return this.size === 0;
  }

  /** Entries, with those of tasks that left and have not been dropped yet. */
  get entryCount(): number {
    return this.#fifo.size + this.#returned.length;
  }

  push(task: Task): void {
    task.lane = this;
    this.size++;
    if (task.order >= this.#newest) {
      this.#newest = task.order;
      this.#fifo.push(task);
      return;
    }
    let at = this.#returned.length;
    while (at > 0 && (this.#returned[at - 1] as Task).order > task.order) at--;
    this.#returned.splice(at, 0, task);
  }

  /** The oldest task that is still waiting here; entries of tasks that left are dropped on the way. */
  head(): Task | undefined {
    while (this.#returned.length > 0 && !this.#waits(this.#returned[0] as Task)) {
      this.#returned.shift();
    }
    let next = this.#fifo.peek();
    while (next !== undefined && !this.#waits(next)) {
      this.#fifo.shift();
      next = this.#fifo.peek();
    }
    const returned = this.#returned[0];
    if (returned === undefined) return next;
    return next === undefined || returned.order < next.order ? returned : next;
  }

  /** Takes out what `head` answered. */
  take(task: Task): void {
    if (this.#returned[0] === task) this.#returned.shift();
    else this.#fifo.shift();
    task.lane = null;
    this.size--;
    this.#dropGone();
  }

  /** A task leaves that is not at the head. Its entry is dropped when it surfaces, or by `#dropGone`. */
  leave(task: Task): void {
    task.lane = null;
    this.size--;
    this.#dropGone();
  }

  /**
   * Behind a head that cannot be placed nothing surfaces, and an entry keeps its whole run in memory. A
   * lane therefore holds at most as many entries of tasks that left as it has tasks: a number that each
   * lane may keep regardless would add up over tenants and shapes. Each pass drops more entries than it
   * keeps, so that a departure costs O(1) in the long run.
   */
  #dropGone(): void {
    if (this.entryCount <= 2 * this.size) return;
    this.#returned = this.#returned.filter((each) => this.#waits(each));
    // A task that left and came back has two entries. Its place among the returned is the valid one.
    const kept = new Set(this.#returned);
    this.#fifo.retain((each) => {
      if (!this.#waits(each) || kept.has(each)) return false;
      kept.add(each);
      return true;
    });
  }

  *tasks(): Iterable<Task> {
    for (const task of this.#returned) if (this.#waits(task)) yield task;
    for (const task of this.#fifo) if (this.#waits(task)) yield task;
  }

  #waits(task: Task): boolean {
    return task.lane === this && task.state === 'QUEUED';
  }
}

/** The tenants of one class that have ready tasks of one shape, by fair share. */
export class ShapeQueue {
  readonly shape: Shape;
  readonly class: Class;
  readonly lanes = new Heap<TaskLane>(laneBefore);
  /** Lanes that push to it, also those of tenants that are held and not in the heap. */
  laneCount = 0;
  /** Position among the queues that may be looked at; -1 while the shape cannot be placed. */
  position = -1;

  constructor(shape: Shape, klass: Class) {
    this.shape = shape;
    this.class = klass;
  }
}

function laneBefore(a: TaskLane, b: TaskLane): boolean {
  if (a.owner.fairKey !== b.owner.fairKey) return a.owner.fairKey < b.owner.fairKey;
  return a.owner.tenant < b.owner.tenant;
}

/**
 * Everything that is ready, by class, shape and tenant. Within a class the tenant that has used
 * least for its weight goes first; within a tenant the oldest task. A shape that cannot be placed
 * is set aside whole until a worker that could take it has room (U047), so nothing is re-examined
 * without a cause and nothing is hidden behind a head that must wait (TEN-04).
 */
export class ReadyQueues {
  readonly #queues: readonly Map<number, ShapeQueue>[] = [new Map(), new Map(), new Map()];
  readonly #open: readonly ShapeQueue[][] = [[], [], []];
  /** Shapes that found no worker, by shape id. */
  readonly blocked = new Map<number, Shape>();
  readonly #blockedSince = new Map<number, number>();
  readonly size: [number, number, number] = [0, 0, 0];

  /** Queues in memory, of all classes. */
  get queueCount(): number {
    return this.#queues.reduce((sum, queues) => sum + queues.size, 0);
  }

  push(task: Task, owner: TenantClass): void {
    const lane = this.#laneOf(owner, task.shape);
    lane.push(task);
    owner.queued++;
    this.size[owner.class]++;
    if (lane.heapIndex < 0 && !owner.held) this.#admit(lane);
  }

  /** Takes a task out that is not at the head; its entry is dropped when it surfaces. */
  remove(task: Task): void {
    const { lane } = task;
    if (lane === null) return;
    lane.leave(task);
    const { owner } = lane;
    owner.queued--;
    this.size[owner.class]--;
    if (lane.isEmpty) this.#forget(lane);
  }

  /** The lane whose head is next in the class, or null if nothing there may be placed. */
  next(klass: Class): TaskLane | null {
    let best: TaskLane | null = null;
    let bestHead: Task | undefined;
    const open = this.#open[klass] as ShapeQueue[];
    for (let i = open.length - 1; i >= 0; i--) {
      const queue = open[i] as ShapeQueue;
      const lane = this.#liveTop(queue);
      if (lane === null) continue;
      const head = lane.head();
      if (head === undefined) continue;
      if (
        best === null ||
        lane.owner.fairKey < best.owner.fairKey ||
        (lane.owner.fairKey === best.owner.fairKey && head.order < (bestHead as Task).order)
      ) {
        best = lane;
        bestHead = head;
      }
    }
    return best;
  }

  take(lane: TaskLane, task: Task): void {
    lane.take(task);
    lane.owner.queued--;
    this.size[lane.owner.class]--;
  }

  /** `since` counts assignments: whoever is served later has overtaken it. */
  block(shape: Shape, since: number): void {
    this.blocked.set(shape.id, shape);
    this.#blockedSince.set(shape.id, since);
    for (const queues of this.#queues) {
      const queue = queues.get(shape.id);
      if (queue !== undefined) this.#close(queue);
    }
  }

  unblock(shape: Shape): void {
    if (!this.blocked.delete(shape.id)) return;
    this.#blockedSince.delete(shape.id);
    for (const queues of this.#queues) {
      const queue = queues.get(shape.id);
      if (queue === undefined || queue.lanes.size === 0) continue;
      // Keys have moved while nobody looked.
      queue.lanes.rebuild();
      this.#openUp(queue);
    }
  }

  /** The tenant that is first in line for a shape that cannot be placed, or null. */
  firstBlocked(shape: Shape, klass: Class): TenantClass | null {
    const queue = this.#queues[klass]?.get(shape.id);
    if (queue === undefined) return null;
    queue.lanes.rebuild();
    return this.#liveTop(queue)?.owner ?? null;
  }

  blockedSince(shape: Shape): number {
    return this.#blockedSince.get(shape.id) ?? Number.POSITIVE_INFINITY;
  }

  /** Somebody waits for this shape. An emptied lane that has not surfaced yet wants nothing any more. */
  isWanted(shape: Shape): boolean {
    const queues = this.#queues.flatMap((byShape) => byShape.get(shape.id) ?? []);
    return queues.some((queue) => this.#liveTop(queue) !== null);
  }

  /** Takes a tenant that is at its limit out of the running, or lets it back in (TEN-04). */
  hold(owner: TenantClass): void {
    owner.held = true;
    for (const lane of owner.lanes.values()) {
      if (lane.heapIndex >= 0) lane.queue.lanes.remove(lane);
    }
  }

  resume(owner: TenantClass): void {
    owner.held = false;
    for (const lane of owner.lanes.values()) {
      if (lane.heapIndex < 0 && lane.head() !== undefined) this.#admit(lane);
    }
  }

  /** Restores the order after the tenant's fair key changed. */
  rekey(owner: TenantClass): void {
    for (const lane of owner.lanes.values()) {
      if (lane.heapIndex >= 0) lane.queue.lanes.update(lane);
    }
  }

  /** Restores the order after many keys changed; of what can be placed, the rest is not looked at. */
  rebuild(): void {
    for (const open of this.#open) for (const queue of open) queue.lanes.rebuild();
  }

  #laneOf(owner: TenantClass, shape: Shape): TaskLane {
    let lane = owner.lanes.get(shape.id);
    if (lane !== undefined) return lane;
    const queues = this.#queues[owner.class] as Map<number, ShapeQueue>;
    let queue = queues.get(shape.id);
    if (queue === undefined) {
      queue = new ShapeQueue(shape, owner.class);
      queues.set(shape.id, queue);
    }
    lane = new TaskLane(owner, queue);
    queue.laneCount++;
    owner.lanes.set(shape.id, lane);
    return lane;
  }

  #admit(lane: TaskLane): void {
    lane.queue.lanes.push(lane);
    if (!this.blocked.has(lane.queue.shape.id)) this.#openUp(lane.queue);
  }

  /** An empty lane is forgotten, so that a tenant that came once does not cost for good. */
  #forget(lane: TaskLane): void {
    if (lane.heapIndex >= 0) lane.queue.lanes.remove(lane);
    const { queue, owner } = lane;
    if (!owner.lanes.delete(queue.shape.id) || --queue.laneCount > 0) return;
    // Shapes are as many as memory requests that were ever tried: without lanes a queue is forgotten too.
    this.#close(queue);
    this.#queues[queue.class]?.delete(queue.shape.id);
  }

  #liveTop(queue: ShapeQueue): TaskLane | null {
    for (let lane = queue.lanes.peek(); lane !== undefined; lane = queue.lanes.peek()) {
      if (lane.head() !== undefined) return lane;
      this.#forget(lane);
    }
    this.#close(queue);
    return null;
  }

  #openUp(queue: ShapeQueue): void {
    if (queue.position >= 0) return;
    const open = this.#open[queue.class] as ShapeQueue[];
    queue.position = open.length;
    open.push(queue);
  }

  #close(queue: ShapeQueue): void {
    if (queue.position < 0) return;
    const open = this.#open[queue.class] as ShapeQueue[];
    const last = open.pop() as ShapeQueue;
    if (last !== queue) {
      open[queue.position] = last;
      last.position = queue.position;
    }
    queue.position = -1;
  }
}
