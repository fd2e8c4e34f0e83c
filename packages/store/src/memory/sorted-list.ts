/** An array kept in order: binary search to find, and a plain push for what arrives in order. */
export class SortedList<T> {
  readonly items: T[] = [];
  private readonly compare: (a: T, b: T) => number;

  constructor(compare: (a: T, b: T) => number) {
    this.compare = compare;
  }

  /** Inserts, unless an equal item exists; returns whether it did. */
  insert(item: T): boolean {
    const last = this.items.at(-1);
    if (last === undefined || this.compare(last, item) < 0) {
      this.items.push(item);
      return true;
    }
    const at = this.position((other) => this.compare(other, item));
    const found = this.items[at];
    if (found !== undefined && this.compare(found, item) === 0) return false;
    this.items.splice(at, 0, item);
    return true;
  }

  /** Index of the first item that does not lie before the probe (`order(item) >= 0`). */
  position(order: (item: T) => number): number {
    let low = 0;
    let high = this.items.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (order(this.items[middle] as T) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  find(order: (item: T) => number): T | undefined {
    const found = this.items[this.position(order)];
    return found !== undefined && order(found) === 0 ? found : undefined;
  }

  /** Takes out everything from one probe up to, but without, the other. */
  removeRange(from: (item: T) => number, to: (item: T) => number): void {
    const start = this.position(from);
    this.items.splice(start, this.position(to) - start);
  }

  /** Removes items for which the test is false, in place. */
  keep(test: (item: T) => boolean): void {
    let count = 0;
    for (const item of this.items) {
      if (test(item)) this.items[count++] = item;
    }
    this.items.length = count;
  }
}
