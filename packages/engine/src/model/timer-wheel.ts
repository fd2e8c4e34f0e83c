import { Heap, type HeapItem } from './heap.ts';

/**
 * Anything that must be looked at again at a time. One timer per thing: re-arming moves it.
 * The links are inside the item, so that a task that ends early leaves at once: with a heap of
 * stale entries every finished task would stay in memory until its deadline.
 */
export interface Timed {
  timerAt: number;
  timerBucket: Bucket | null;
  timerPrevious: Timed | null;
  timerNext: Timed | null;
}

class Bucket implements HeapItem {
  heapIndex = -1;
  first: Timed | null = null;
  readonly slot: number;

  constructor(slot: number) {
    this.slot = slot;
  }
}

const BUCKET_MS = 64;

/** Arm and disarm in O(1); expiry visits only items that are due or share a bucket with one. */
export class TimerWheel {
  readonly #buckets = new Map<number, Bucket>();
  readonly #order = new Heap<Bucket>((a, b) => a.slot < b.slot);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  arm(item: Timed, at: number): void {
    if (item.timerBucket !== null) this.disarm(item);
    const slot = Math.floor(at / BUCKET_MS);
    let bucket = this.#buckets.get(slot);
    if (bucket === undefined) {
      bucket = new Bucket(slot);
      this.#buckets.set(slot, bucket);
      this.#order.push(bucket);
    }
    item.timerAt = at;
    item.timerBucket = bucket;
    item.timerPrevious = null;
    item.timerNext = bucket.first;
    if (bucket.first !== null) bucket.first.timerPrevious = item;
    bucket.first = item;
    this.#size++;
  }

  disarm(item: Timed): void {
    const bucket = item.timerBucket;
    if (bucket === null) return;
    if (item.timerPrevious === null) bucket.first = item.timerNext;
    else item.timerPrevious.timerNext = item.timerNext;
    if (item.timerNext !== null) item.timerNext.timerPrevious = item.timerPrevious;
    item.timerBucket = null;
    item.timerPrevious = null;
    item.timerNext = null;
    this.#size--;
    if (bucket.first === null) this.#drop(bucket);
  }

  /**
   * Takes out what has timerAt <= now, earliest first, at most so many; nothing comes a moment early.
   * Of very many in one bucket any come first: they are due within the same moment.
   */
  expire(now: number, max = Number.POSITIVE_INFINITY): Timed[] {
    const due: Timed[] = [];
    const nowSlot = Math.floor(now / BUCKET_MS);
    while (due.length < max) {
      const bucket = this.#order.peek();
      if (bucket === undefined || bucket.slot > nowSlot) break;
      for (const item of dueOf(bucket, now, max - due.length)) {
        this.disarm(item);
        due.push(item);
      }
      // What it still holds is not due yet, or more than was asked for.
      if (bucket.first !== null) break;
    }
    return due;
  }

  /**
   * When to look again: exact while the earliest bucket lasts, else the bucket's start, which is over
   * where not everything could be taken out. Scanning it on every step would cost more than a look.
   */
  nextAt(now: number): number | null {
    const bucket = this.#order.peek();
    if (bucket === undefined) return null;
    const start = bucket.slot * BUCKET_MS;
    if (start > now || start + BUCKET_MS <= now) return start;
    let at = Number.POSITIVE_INFINITY;
    for (let item = bucket.first; item !== null; item = item.timerNext) {
      if (item.timerAt < at) at = item.timerAt;
    }
    return at;
  }

  #drop(bucket: Bucket): void {
    this.#buckets.delete(bucket.slot);
    if (bucket.heapIndex >= 0) this.#order.remove(bucket);
  }
}

/** Items of a bucket are linked newest first; the order of expiry must not depend on that. */
function dueOf(bucket: Bucket, now: number, max: number): Timed[] {
  const due: Timed[] = [];
  for (let item = bucket.first; item !== null && due.length < max; item = item.timerNext) {
    if (item.timerAt <= now) due.push(item);
  }
  return due.reverse().sort((a, b) => a.timerAt - b.timerAt);
}
