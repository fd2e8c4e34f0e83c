import { Heap, type HeapItem } from '../model/heap.ts';
import type { Attempt } from '../model/run.ts';
import type { Harness } from './harness.ts';

interface Running extends HeapItem {
  readonly attempt: Attempt;
  readonly startedAt: number;
  readonly endsAt: number;
  readonly nth: number;
}

/**
 * A fleet that does its work: every attempt is accepted at once, runs for as long as it is told and
 * succeeds. Counts for each tenant the slot-milliseconds that its attempts really took.
 */
export class AutoRun {
  readonly harness: Harness;
  /** Before every step: where an endless backlog is refilled. */
  beforeStep: () => void = () => {};
  durationMs: (attempt: Attempt) => number;
  finished = 0;
  readonly #running = new Heap<Running>(
    (a, b) => a.endsAt < b.endsAt || (a.endsAt === b.endsAt && a.nth < b.nth),
  );
  #slotMs = new Map<string, number>();
  #countFrom: number;
  #nth = 0;

  constructor(harness: Harness, durationMs: (attempt: Attempt) => number) {
    this.harness = harness;
    this.durationMs = durationMs;
    this.#countFrom = harness.now;
  }

  run(ms: number): void {
    const { harness } = this;
    const until = harness.now + ms;
    this.#step();
    while (harness.now < until) {
      const wakeAt = Math.min(harness.wakeAt(), this.#running.peek()?.endsAt ?? until);
      harness.now = Math.min(until, Math.max(harness.now + 1, wakeAt));
      this.#step();
    }
  }

  /** Slot-milliseconds since the last call of `countAfresh`, also of what still runs. */
  slotMs(tenant: string): number {
    let sum = this.#slotMs.get(tenant) ?? 0;
    for (const running of this.#running.values()) {
      if (tenantOf(running) === tenant) sum += this.#slotMsOf(running);
    }
    return sum;
  }

  countAfresh(): void {
    this.#slotMs = new Map();
    this.#countFrom = this.harness.now;
  }

  #step(): void {
    const { harness } = this;
    for (;;) {
      const next = this.#running.peek();
      if (next === undefined || next.endsAt > harness.now) break;
      this.#running.remove(next);
      const tenant = tenantOf(next);
      this.#slotMs.set(tenant, (this.#slotMs.get(tenant) ?? 0) + this.#slotMsOf(next));
      harness.succeed(next.attempt);
      this.finished++;
    }
    this.beforeStep();
    for (const effect of harness.tick().effects) {
      if (effect.kind !== 'assign') continue;
      const { attempt } = effect;
      harness.accept(attempt);
      const endsAt = harness.now + this.durationMs(attempt);
      const nth = this.#nth++;
      this.#running.push({ attempt, startedAt: harness.now, endsAt, nth, heapIndex: -1 });
    }
  }

  #slotMsOf({ attempt, startedAt }: Running): number {
    const ms = this.harness.now - Math.max(startedAt, this.#countFrom);
    return attempt.shape.request.slots * ms;
  }
}

function tenantOf({ attempt }: Running): string {
  return attempt.task.run.spec.tenant;
}
