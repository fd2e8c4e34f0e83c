import type { Ref } from './frames.ts';

interface Entry<Value> {
  readonly ref: Ref;
  value: Value;
  next: Entry<Value> | null;
}

/**
 * A map by reference. Both ends of a link look attempts up several times in the life of each; a text
 * made of six numbers costs more than everything else that is done with it.
 */
export class RefMap<Value> {
  readonly #entries = new Map<number, Entry<Value>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(ref: Ref): Value | undefined {
    for (let entry = this.#entries.get(hash(ref)); entry; entry = entry.next ?? undefined) {
      if (isSame(entry.ref, ref)) return entry.value;
    }
    return undefined;
  }

  has(ref: Ref): boolean {
    return this.get(ref) !== undefined;
  }

  set(ref: Ref, value: Value): void {
    const key = hash(ref);
    const first = this.#entries.get(key) ?? null;
    for (let entry = first; entry !== null; entry = entry.next) {
      if (!isSame(entry.ref, ref)) continue;
      entry.value = value;
      return;
    }
    this.#entries.set(key, { ref, value, next: first });
    this.#size++;
  }

  /** Answers what was there. */
  delete(ref: Ref): Value | undefined {
    const key = hash(ref);
    let before: Entry<Value> | null = null;
    for (let entry = this.#entries.get(key) ?? null; entry !== null; entry = entry.next) {
      if (isSame(entry.ref, ref)) {
        if (before !== null) before.next = entry.next;
        else if (entry.next !== null) this.#entries.set(key, entry.next);
        else this.#entries.delete(key);
        this.#size--;
        return entry.value;
      }
      before = entry;
    }
    return undefined;
  }

  clear(): void {
    this.#entries.clear();
    this.#size = 0;
  }

  *values(): Generator<Value> {
    for (const first of this.#entries.values()) {
      for (let entry: Entry<Value> | null = first; entry !== null; entry = entry.next) {
        yield entry.value;
      }
    }
  }
}

/** Run and task tell nearly all attempts apart; the rest is compared. */
function hash(ref: Ref): number {
  const seq = ref[1];
  const high = (seq / 2 ** 31) | 0;
  return (Math.imul(ref[2] + (high << 20), 0x9e3779b1) ^ (seq | 0) ^ (ref[0] << 18)) | 0;
}

function isSame(a: Ref, b: Ref): boolean {
  return (
    a[1] === b[1] &&
    a[0] === b[0] &&
    a[2] === b[2] &&
    a[3] === b[3] &&
    a[4] === b[4] &&
    a[5] === b[5]
  );
}
