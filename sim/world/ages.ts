import { between, chance, exponential, pick } from './streams.ts';
import type { World } from './world.ts';

const HOUR_MS = 3_600_000;
/** Nobody asks for anything that was sent before. */
const OFF_MS = 10_000;

/**
 * Lets days pass. Everything is switched off meanwhile, so that they cost nothing; the store's clock
 * has gone on when the first node is back. Some time later every node is started again: only then
 * does the journal tell it that the days have really passed, and it may drop what is old.
 */
export class Ages {
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  begin(): void {
    const { options, clockwork, operator, streams } = this.#world;
    const { ages } = options.wild;
    if (ages === null) return;
    const dice = streams.of('ages');
    const endMs = options.minutes * 60_000;
    const everyMs = endMs / (ages.leapsMs.length + 1);
    for (const [i, leapMs] of ages.leapsMs.entries()) {
      const atMs = everyMs * (i + 0.7 + 0.3 * dice.next());
      clockwork.after(atMs, operator, () => this.#leap(leapMs));
      clockwork.after(atMs + everyMs * between(dice, 0.1, 0.4), operator, () => this.#restart());
    }
    if (ages.calendarEveryMs > 0) this.#stepNext(ages.calendarEveryMs, endMs);
  }

  #leap(leapMs: number): void {
    const { nodes, disk, coverage, history, clockwork, operator, streams, clients } = this.#world;
    const dice = streams.of('ages');
    const what = `everything is off for ${Math.round(leapMs / HOUR_MS)} hours`;
    history.add({ kind: 'fault', what, on: true });
    for (const node of nodes) node.crash();
    disk.leap(leapMs);
    clients.submitters.forgetAll();
    coverage.sometimes('fleet off for days', leapMs > 24 * HOUR_MS ? 1 : 0);
    for (const node of nodes) {
      clockwork.after(OFF_MS + between(dice, 0, 10_000), operator, () => node.start());
    }
  }

  /** One after the other, as an upgrade does. */
  #restart(): void {
    const { nodes, clockwork, operator, history } = this.#world;
    for (const [i, node] of nodes.entries()) {
      clockwork.after(i * 3_000, operator, () => {
        if (node.process === null) return;
        history.add({ kind: 'fault', what: `${node.actor.name} is started again`, on: true });
        node.crash();
        node.start();
      });
    }
  }

  #stepNext(everyMs: number, endMs: number): void {
    const { clockwork, operator, streams, nodes, coverage, history } = this.#world;
    const dice = streams.of('ages/calendar');
    clockwork.after(exponential(dice, everyMs), operator, () => {
      if (clockwork.now >= endMs) return;
      const node = pick(dice, nodes);
      const hours = pick(dice, [0, 0, 0.2, 0.9, 3, 92 * 24]) * (chance(dice, 0.5) ? 1 : -1);
      node.calendarOffMs = hours * HOUR_MS;
      if (hours !== 0) coverage.sometimes('calendar clock of a node stepped');
      const what = `calendar of ${node.actor.name} off by ${hours} hours`;
      history.add({ kind: 'fault', what, on: hours !== 0 });
      this.#stepNext(everyMs, endMs);
    });
  }
}
