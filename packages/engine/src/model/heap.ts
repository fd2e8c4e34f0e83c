/** An item that knows its place in the one heap it is in, so that its key can change in O(log n). */
export interface HeapItem {
  heapIndex: number;
}

/** A binary min-heap over items that carry their own index; `less` must be a strict order. */
export class Heap<T extends HeapItem> {
  readonly #items: T[] = [];
  readonly #less: (a: T, b: T) => boolean;

  constructor(less: (a: T, b: T) => boolean) {
    this.#less = less;
  }

  get size(): number {
    return this.#items.length;
  }

  peek(): T | undefined {
    return this.#items[0];
  }

  push(item: T): void {
    item.heapIndex = this.#items.length;
    this.#items.push(item);
    this.#up(item.heapIndex);
  }

  pop(): T | undefined {
    const top = this.#items[0];
    if (top !== undefined) this.remove(top);
    return top;
  }

  remove(item: T): void {
    const index = item.heapIndex;
    const last = this.#items.pop() as T;
    item.heapIndex = -1;
    if (last === item) return;
    this.#items[index] = last;
    last.heapIndex = index;
    this.update(last);
  }

  /** Restores the order after the item's key changed. */
  update(item: T): void {
    if (!this.#up(item.heapIndex)) this.#down(item.heapIndex);
  }

  /** Restores the order after many keys changed at once. */
  rebuild(): void {
    for (let i = (this.#items.length >> 1) - 1; i >= 0; i--) this.#down(i);
  }

  values(): readonly T[] {
    return this.#items;
  }

  #up(start: number): boolean {
    const items = this.#items;
    const item = items[start] as T;
    let index = start;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      const above = items[parent] as T;
      if (!this.#less(item, above)) break;
      items[index] = above;
      above.heapIndex = index;
      index = parent;
    }
    items[index] = item;
    item.heapIndex = index;
    return index !== start;
  }

  #down(start: number): void {
    const items = this.#items;
    const item = items[start] as T;
    const size = items.length;
    let index = start;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= size) break;
      if (child + 1 < size && this.#less(items[child + 1] as T, items[child] as T)) child++;
      const below = items[child] as T;
      if (!this.#less(below, item)) break;
      items[index] = below;
      below.heapIndex = index;
      index = child;
    }
    items[index] = item;
    item.heapIndex = index;
  }
}
