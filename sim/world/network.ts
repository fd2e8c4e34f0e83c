import type { Actor, Clockwork } from './clockwork.ts';
import { between, chance, type Dice } from './streams.ts';

/** One direction between two places. */
interface Link {
  cut: boolean;
  /** Messages wait until the clog is released, and then come in another order. */
  clogged: (() => void)[] | null;
  lastAt: number;
}

/** What the whole network does to messages just now. */
export interface Weather {
  latencyMs: readonly [number, number];
  loss: number;
  duplication: number;
  reordering: number;
}

export function goodWeather(): Weather {
  return { latencyMs: [0.5, 8], loss: 0, duplication: 0, reordering: 0 };
}

export class Network {
  readonly weather: Weather = goodWeather();
  readonly #links = new Map<string, Link>();
  readonly #clockwork: Clockwork;
  readonly #dice: Dice;

  constructor(clockwork: Clockwork, dice: Dice) {
    this.#clockwork = clockwork;
    this.#dice = dice;
  }

  send(from: Actor, to: Actor, deliver: () => void): void {
    const link = this.#link(from, to);
    if (link.cut || chance(this.#dice, this.weather.loss)) return;
    if (link.clogged !== null) {
      link.clogged.push(() => this.#carry(link, to, deliver));
      return;
    }
    this.#carry(link, to, deliver);
    if (chance(this.#dice, this.weather.duplication)) this.#carry(link, to, deliver);
  }

  cut(from: Actor, to: Actor, isCut: boolean): void {
    this.#link(from, to).cut = isCut;
  }

  clog(from: Actor, to: Actor): void {
    this.#link(from, to).clogged ??= [];
  }

  unclog(from: Actor, to: Actor): void {
    const link = this.#link(from, to);
    const waiting = link.clogged ?? [];
    link.clogged = null;
    while (waiting.length > 0) {
      const [message] = waiting.splice(this.#dice.int(waiting.length), 1);
      message?.();
    }
  }

  heal(): void {
    Object.assign(this.weather, goodWeather());
    for (const link of this.#links.values()) {
      link.cut = false;
      const waiting = link.clogged ?? [];
      link.clogged = null;
      for (const message of waiting) message();
    }
  }

  /** In order, as a stream delivers, unless the weather is such that it does not. */
  #carry(link: Link, to: Actor, deliver: () => void): void {
    const [fastest, slowest] = this.weather.latencyMs;
    let at = this.#clockwork.now + between(this.#dice, fastest, slowest);
    if (chance(this.#dice, this.weather.reordering)) at += between(this.#dice, 0, 1_000);
    else {
      at = Math.max(at, link.lastAt);
      link.lastAt = at;
    }
    this.#clockwork.deliver(at, to, deliver);
  }

  #link(from: Actor, to: Actor): Link {
    const name = `${from.name}>${to.name}`;
    let link = this.#links.get(name);
    if (link === undefined) {
      link = { cut: false, clogged: null, lastAt: 0 };
      this.#links.set(name, link);
    }
    return link;
  }
}
