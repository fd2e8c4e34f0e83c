/** A run that an idempotency key stands for. */
export interface KeyHolder {
  readonly partition: number;
  readonly seq: number;
  readonly ms: number;
}

/**
 * Idempotency keys of recent submissions, so that a client's quick retry is answered from memory.
 * Not the guarantee: that is the store's unique row (I2). What is forgotten here is refused there.
 */
export class RecentKeys {
  readonly #holders = new Map<string, KeyHolder>();
  readonly #kept: number;

  constructor(kept: number) {
    this.#kept = kept;
  }

  get(tenant: string, key: string): KeyHolder | undefined {
    return this.#holders.get(`${tenant}\n${key}`);
  }

  set(tenant: string, key: string, holder: KeyHolder): void {
    this.#holders.set(`${tenant}\n${key}`, holder);
    if (this.#holders.size <= this.#kept) return;
    for (const oldest of this.#holders.keys()) {
      this.#holders.delete(oldest);
      return;
    }
  }

  delete(tenant: string, key: string): void {
    this.#holders.delete(`${tenant}\n${key}`);
  }

  /**
   * Forgets every key of a partition that is given up. What was decided there may never have become
   * durable, also of runs that memory does not hold: a key that outlived them would answer for a run
   * that does not exist.
   */
  deletePartition(partition: number): void {
    for (const [name, holder] of this.#holders) {
      if (holder.partition === partition) this.#holders.delete(name);
    }
  }
}
