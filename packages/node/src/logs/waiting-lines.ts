import type { LogLineRow } from '@signalbox/store';

export interface WaitingLimits {
  readonly linesMax: number;
  readonly charactersMax: number;
}

/** The lines of one tenant, oldest first. */
class TenantLines {
  readonly lines: LogLineRow[] = [];
  characters = 0;
  /** Lines at the beginning that are in the batch under way. */
  offered = 0;
  /** Lines that were ever kept, and how many of these have been stored or given up. */
  kept = 0;
  left = 0;

  add(line: LogLineRow): void {
    this.lines.push(line);
    this.characters += line.text.length;
    this.kept++;
  }

  /** The newest line that is in no batch, taken out. */
  takeNewest(): LogLineRow | null {
    if (this.lines.length <= this.offered) return null;
    const line = this.lines.pop() as LogLineRow;
    this.characters -= line.text.length;
    this.left++;
    return line;
  }
}

/**
 * Lines that wait for the store, by tenant. The limits are shared, and where they are reached the tenant
 * with the most gives way: one that prints without end costs its own lines, not those of the others.
 */
export class WaitingLines {
  readonly #limits: WaitingLimits;
  readonly #tenants = new Map<string, TenantLines>();
  #count = 0;
  #characters = 0;

  constructor(limits: WaitingLimits) {
    this.#limits = limits;
  }

  get count(): number {
    return this.#count;
  }

  get isFull(): boolean {
    return this.#count >= this.#limits.linesMax;
  }

  /** Keeps a line within the limits; returns the lines that had to be dropped for it, or the line itself. */
  add(line: LogLineRow): readonly LogLineRow[] {
    if (!this.#isTooMuch(line)) {
      this.keep(line);
      return NONE;
    }
    const dropped: LogLineRow[] = [];
    while (this.#isTooMuch(line)) {
      const newest = this.#largestBut(line)?.takeNewest() ?? null;
      if (newest === null) return [...dropped, line];
      this.#count--;
      this.#characters -= newest.text.length;
      dropped.push(newest);
    }
    this.keep(line);
    return dropped;
  }

  /** Keeps a line whatever the limits are. */
  keep(line: LogLineRow): void {
    let own = this.#tenants.get(line.tenant);
    if (own === undefined) {
      own = new TenantLines();
      this.#tenants.set(line.tenant, own);
    }
    own.add(line);
    this.#count++;
    this.#characters += line.text.length;
  }

  /** The oldest lines of each tenant, as many of one as of the other; they stay until `settle`. */
  offer(countMax: number): LogLineRow[] {
    const batch: LogLineRow[] = [];
    let open = [...this.#tenants.values()];
    while (open.length > 0 && batch.length < countMax) {
      const share = Math.max(1, Math.floor((countMax - batch.length) / open.length));
      for (const own of open) {
        const count = Math.min(share, countMax - batch.length, own.lines.length - own.offered);
        batch.push(...own.lines.slice(own.offered, own.offered + count));
        own.offered += count;
      }
      open = open.filter((own) => own.offered < own.lines.length);
    }
    return batch;
  }

  /** The batch under way has left, or waits on. */
  settle(hasLeft: boolean): void {
    for (const [tenant, own] of this.#tenants) {
      const { offered } = own;
      own.offered = 0;
      if (offered === 0 || !hasLeft) continue;
      for (const { text } of own.lines.splice(0, offered)) {
        own.characters -= text.length;
        this.#characters -= text.length;
      }
      own.left += offered;
      this.#count -= offered;
      // The next round begins with the others: a batch may be too small for a line of each.
      this.#tenants.delete(tenant);
      if (own.lines.length > 0) this.#tenants.set(tenant, own);
    }
  }

  /** Whether everything that waits at the time of this call has left by the time of a later one. */
  mark(): () => boolean {
    const marks = [...this.#tenants.values()].map((own) => ({ own, kept: own.kept }));
    return () => marks.every(({ own, kept }) => own.left >= kept);
  }

  #isTooMuch({ text }: LogLineRow): boolean {
    return this.isFull || this.#characters + text.length > this.#limits.charactersMax;
  }

  /** The tenant with the most, if it would still have more than the line's own tenant with the line. */
  #largestBut({ tenant, text }: LogLineRow): TenantLines | null {
    const byLines = this.isFull;
    const sizeOf = (own: TenantLines): number => (byLines ? own.lines.length : own.characters);
    const own = this.#tenants.get(tenant);
    let size = (own === undefined ? 0 : sizeOf(own)) + (byLines ? 1 : text.length);
    let largest: TenantLines | null = null;
    for (const other of this.#tenants.values()) {
      if (other === own || sizeOf(other) <= size) continue;
      size = sizeOf(other);
      largest = other;
    }
    return largest;
  }
}

const NONE: readonly LogLineRow[] = [];
