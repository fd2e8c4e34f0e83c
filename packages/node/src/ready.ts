import type { Store } from '@signalbox/store';
import type { CommitLoop } from './loop/index.ts';

const LOOK_EVERY_MS = 100;

/** Tells when the node can serve: its partitions are read, and the others have owners. */
export class Ready {
  readonly #loop: CommitLoop;
  readonly #store: Store;
  readonly #startedMs = performance.now();
  #waiting: { resolve(): void; reject(error: unknown): void }[] = [];
  #timer: NodeJS.Timeout | null = null;
  #stopped = false;
  #fatal: { readonly error: unknown } | null = null;

  constructor(loop: CommitLoop, store: Store) {
    this.#loop = loop;
    this.#store = store;
  }

  /** Rejects where the node cannot go on: nobody is to wait for what will never be. */
  async wait(): Promise<void> {
    this.throwIfFatal();
    if (this.#stopped || this.#ownsAll()) return;
    this.#timer ??= setInterval(() => void this.#askStore(), LOOK_EVERY_MS);
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }

  /** Something about ownership may have changed. */
  look(): void {
    if (this.#waiting.length > 0 && this.#ownsAll()) this.#tell();
  }

  throwIfFatal(): void {
    if (this.#fatal !== null) throw this.#fatal.error;
  }

  fail(error: unknown): void {
    this.#fatal ??= { error };
    this.#tell();
  }

  stop(): void {
    this.#stopped = true;
    this.#tell();
  }

  #ownsAll(): boolean {
    const { partitions } = this.#loop.settings;
    const { stoppedPartitions } = this.#loop;
    for (let p = 0; p < partitions; p++) {
      // One that cannot be read will not become ready, and the others are to work.
      if (!this.#loop.hasRead(p) && !stoppedPartitions.has(p)) return false;
    }
    return true;
  }

  /**
   * Whether every partition has an owner, here or elsewhere, so that a node without partitions can serve as well:
   * it forwards submissions to the owners and reads runs from the store. False until the leases of a killed node
   * have expired: before, a dead owner looks like a live one, and this node may be about to own partitions.
   */
  async isEveryPartitionOwned(): Promise<boolean> {
    const { leaseMs, beatMs, partitions } = this.#loop.settings;
    if (this.#stopped || performance.now() - this.#startedMs < leaseMs + beatMs) return false;
    const now = await this.#store.now();
    const leases = await this.#store.listLeases();
    const live = leases.filter((lease) => lease.expiresAtMs > now).length;
    // Also those that another node could not read.
    const listed = (await this.#store.listStopped()).map(({ partition }) => partition);
    const stopped = new Set([...this.#loop.stoppedPartitions.keys(), ...listed]);
    return live >= partitions - stopped.size;
  }

  async #askStore(): Promise<void> {
    if (this.#ownsAll()) return this.#tell();
    const held = [...this.#loop.leases.held.keys()];
    if (!held.every((p) => this.#loop.hasRead(p))) return;
    try {
      if (await this.isEveryPartitionOwned()) this.#tell();
    } catch {
      // The next look asks again.
    }
  }

  #tell(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
    for (const { resolve, reject } of this.#waiting.splice(0)) {
      if (this.#fatal === null) resolve();
      else reject(this.#fatal.error);
    }
  }
}
