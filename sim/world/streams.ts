import { hashText, seededRandom } from '@signalbox/engine';

export type Dice = ReturnType<typeof seededRandom>;

/**
 * One stream of randomness per concern, all from one seed: a fault that draws once more does not
 * reshuffle the workload, so two runs that differ in one option stay comparable.
 */
export class Streams {
  readonly #seed: number;
  readonly #streams = new Map<string, Dice>();

  constructor(seed: number) {
    this.#seed = seed;
  }

  of(concern: string): Dice {
    let dice = this.#streams.get(concern);
    if (dice === undefined) {
      dice = seededRandom(hashText(`${this.#seed}/${concern}`));
      this.#streams.set(concern, dice);
    }
    return dice;
  }
}

export function chance(dice: Dice, probability: number): boolean {
  return dice.next() < probability;
}

export function between(dice: Dice, from: number, to: number): number {
  return from + dice.next() * (to - from);
}

export function pick<T>(dice: Dice, items: readonly T[]): T {
  return items[dice.int(items.length)] as T;
}

/** Waiting times of something that happens on average once per `meanMs`. */
export function exponential(dice: Dice, meanMs: number): number {
  return -Math.log(1 - dice.next()) * meanMs;
}
