/** A run that an idempotency key stands for. */
export interface KeyHolder {
  readonly partition: number;
  readonly seq: number;
  readonly ms: number;
}

interface Known {
  readonly holder: KeyHolder;
  /** The group in which the key was taken; 0 where it was read from the store. */
  readonly group: number;
  readonly at: number;
}

/**
 * Memory answers for a key for this long, which is shorter than any store keeps one: what retention has
 * dropped since may belong to another submission by now.
 */
const ANSWERED_MS = 300_000;

/**
 * Idempotency keys of recent submissions, so that a client's quick retry is answered from memory.
 * Not the guarantee: that is the store's unique row (I2). A forgotten key is refused by the store.
 * A key whose group is not durable yet is provisional: the store may refuse it, so it is never
 * forgotten before the store has decided, and nothing may be decided by it.
 */
export class RecentKeys {
  /** In the order in which they were set, so groups never fall. */
  readonly #known = new Map<string, Known>();
  readonly #kept: number;
  #durableGroup = 0;

  constructor(kept: number) {
    this.#kept = kept;
  }

  /** The holder, where the key was taken a short time before `now` or is provisional. */
  get(tenant: string, key: string, now: number): KeyHolder | undefined {
    const known = this.#known.get(nameOf(tenant, key));
    if (known === undefined) return undefined;
    const { holder, group, at } = known;
    return group > this.#durableGroup || now - at <= ANSWERED_MS ? holder : undefined;
  }

  /** The group that decides whether the holder really has the key; null where it does. */
  provisionalGroup(tenant: string, key: string): number | null {
    const group = this.#known.get(nameOf(tenant, key))?.group ?? 0;
    return group > this.#durableGroup ? group : null;
  }

  set(params: { tenant: string; key: string; holder: KeyHolder; group: number; at: number }): void {
    const { tenant, key, holder, group, at } = params;
    const name = nameOf(tenant, key);
    this.#known.delete(name);
    this.#known.set(name, { holder, group, at });
    this.#forget();
  }

  confirm(durableGroup: number): void {
    this.#durableGroup = durableGroup;
    this.#forget();
  }

  delete(tenant: string, key: string): void {
    this.#known.delete(nameOf(tenant, key));
  }

  /**
   * Forgets every key of a partition that is given up. What was decided there may never have become
   * durable, also of runs that memory does not hold: a key that outlived them would answer for a run
   * that does not exist.
   */
  deletePartition(partition: number): void {
    for (const [name, { holder }] of this.#known) {
      if (holder.partition === partition) this.#known.delete(name);
    }
  }

  /** The oldest first, up to the first that is provisional. */
  #forget(): void {
    if (this.#known.size <= this.#kept) return;
    for (const [name, { group }] of this.#known) {
      if (this.#known.size <= this.#kept || group > this.#durableGroup) return;
      this.#known.delete(name);
    }
  }
}

function nameOf(tenant: string, key: string): string {
  return `${tenant}\n${key}`;
}
