import type { Dice } from './streams.ts';

/**
 * Whose event it is. A paused actor keeps its memory and misses time: its events wait and come
 * late, all at once. A crashed one loses what belonged to its process.
 */
export class Actor {
  readonly name: string;
  /** Its code waits on promises, so they must settle before the next event. */
  readonly isAsync: boolean;
  paused = false;
  generation = 0;
  readonly held: SimEvent[] = [];

  constructor(name: string, isAsync: boolean) {
    this.name = name;
    this.isAsync = isAsync;
  }
}

export interface SimEvent {
  time: number;
  tie: number;
  order: number;
  readonly actor: Actor;
  /** The process that it belongs to; -1 for a message, which reaches whichever process is there. */
  readonly generation: number;
  run: (() => void) | null;
}

/** Events of one moment; a world has seen some thousand. */
const AT_ONCE_MAX = 200_000;

/** The one clock and the one queue of the world: (time, random, order), so that equal times explore orders. */
export class Clockwork {
  now = 0;
  events = 0;
  readonly #dice: Dice;
  readonly #heap: SimEvent[] = [];
  #order = 0;

  constructor(dice: Dice) {
    this.#dice = dice;
  }

  /** An event of the actor's present process: gone if that crashes. */
  after(ms: number, actor: Actor, run: () => void): SimEvent {
    const time = this.now + Math.max(0, ms);
    return this.#plan({ time, actor, generation: actor.generation, run });
  }

  /** A message on its way to the actor: it outlives the process, as bytes on a wire do. */
  deliver(at: number, actor: Actor, run: () => void): void {
    this.#plan({ time: Math.max(at, this.now), actor, generation: -1, run });
  }

  cancel(event: SimEvent): void {
    event.run = null;
  }

  crash(actor: Actor): void {
    actor.generation++;
    actor.paused = false;
    this.#release(actor);
  }

  resume(actor: Actor): void {
    actor.paused = false;
    this.#release(actor);
  }

  /**
   * Runs until the time, or until `done` says so between two events. Throws where events keep coming and
   * time does not pass: a process that is busy with nothing would otherwise hang its seed.
   */
  async runUntil(time: number, done: () => boolean = () => false): Promise<void> {
    let atOnce = 0;
    for (;;) {
      const next = this.#heap[0];
      if (next === undefined || next.time > time) break;
      this.#pop();
      atOnce = next.time > this.now ? 0 : atOnce + 1;
      if (atOnce > AT_ONCE_MAX) {
        throw new Error(`${next.actor.name} is busy without end at ${Math.round(this.now)} ms`);
      }
      this.now = Math.max(this.now, next.time);
      if (!this.#begin(next)) continue;
      this.events++;
      if (next.actor.isAsync) await settled();
      if (done()) return;
    }
    this.now = Math.max(this.now, time);
  }

  #begin(event: SimEvent): boolean {
    const { actor, run } = event;
    if (run === null) return false;
    if (event.generation >= 0 && event.generation !== actor.generation) return false;
    if (actor.paused) {
      actor.held.push(event);
      return false;
    }
    event.run = null;
    run();
    return true;
  }

  #release(actor: Actor): void {
    for (const event of actor.held.splice(0)) {
      if (event.run === null) continue;
      // The same event, so that whoever planned it can still take it back.
      event.time = this.now;
      this.#push(event);
    }
  }

  #plan(planned: Pick<SimEvent, 'time' | 'actor' | 'generation' | 'run'>): SimEvent {
    return this.#push({ ...planned, tie: 0, order: 0 });
  }

  #push(event: SimEvent): SimEvent {
    event.tie = this.#dice.next();
    event.order = this.#order++;
    const heap = this.#heap;
    let at = heap.length;
    heap.push(event);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!before(event, heap[parent] as SimEvent)) break;
      heap[at] = heap[parent] as SimEvent;
      at = parent;
    }
    heap[at] = event;
    return event;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop() as SimEvent;
    if (heap.length === 0) return;
    let at = 0;
    for (;;) {
      let child = at * 2 + 1;
      if (child >= heap.length) break;
      const right = heap[child + 1];
      if (right !== undefined && before(right, heap[child] as SimEvent)) child++;
      if (!before(heap[child] as SimEvent, last)) break;
      heap[at] = heap[child] as SimEvent;
      at = child;
    }
    heap[at] = last;
  }
}

function before(a: SimEvent, b: SimEvent): boolean {
  if (a.time !== b.time) return a.time < b.time;
  return a.tie !== b.tie ? a.tie < b.tie : a.order < b.order;
}

/** One turn of the event loop drains every generation of microtasks; awaiting once drains only one. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
