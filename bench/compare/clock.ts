import { setTimeout as delay } from 'node:timers/promises';

/** Milliseconds of CLOCK_MONOTONIC: the same clock in every process of the machine. */
export function nowMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** Lets time pass that a measurement consists of. */
export function pass(ms: number): Promise<void> {
  return delay(ms);
}
