import type { LoopPorts } from './ports.ts';

const DELAY_MS_MAX = 60_000;
/** Without a failure for this long, a partition starts from the first delay again. */
const FORGET_MS = 5 * 60_000;

interface Failures {
  readonly count: number;
  readonly atMs: number;
  readonly untilMs: number;
}

/**
 * Partitions that this node does not take again for a while, because it had to let go of them: each
 * take-over reads the whole partition and writes a fence, and at every beat that would be all the node
 * does. The delay doubles from one beat to a minute.
 */
export class HoldOff {
  readonly #ports: LoopPorts;
  readonly #firstMs: number;
  readonly #failures = new Map<number, Failures>();

  constructor(ports: LoopPorts, firstMs: number) {
    this.#ports = ports;
    this.#firstMs = firstMs;
  }

  /** Returns the delay in milliseconds. */
  failed(partition: number): number {
    const atMs = this.#ports.monotonicMs();
    const before = this.#failures.get(partition);
    const count = before === undefined || atMs - before.atMs > FORGET_MS ? 0 : before.count;
    const delayMs = Math.min(DELAY_MS_MAX, this.#firstMs * 2 ** count);
    this.#failures.set(partition, { count: count + 1, atMs, untilMs: atMs + delayMs });
    return delayMs;
  }

  isActive(partition: number): boolean {
    const failures = this.#failures.get(partition);
    return failures !== undefined && this.#ports.monotonicMs() < failures.untilMs;
  }
}
