import { type AttemptRef, NO_RESOURCES, type Resources } from '@signalbox/engine';
import { attemptKey } from '../names.ts';
import { Actor } from './clockwork.ts';
import { HeldAttempt } from './held-attempt.ts';
import type { Assignment, Hold, NodeMessage, WorkerMessage } from './messages.ts';
import type { SimNode } from './node.ts';
import { between, chance, type Dice } from './streams.ts';
import { type Link, WorkerLinks } from './worker-links.ts';
import type { World } from './world.ts';

const BEAT_MS = 5_000;
const RESEND_MS = 3_000;

/**
 * A worker process: attaches to every node, says what it holds, runs attempts, and keeps each
 * result until some node confirms it or says that it is stale. With several nodes it is the
 * authority on its own capacity.
 */
export class SimWorker {
  readonly name: string;
  readonly actor: Actor;
  readonly world: World;
  readonly dice: Dice;
  /** What it states to have. */
  readonly total: Resources;
  readonly holds = new Map<string, HeldAttempt>();
  /** It runs on but says nothing. */
  hangs = false;
  drains = false;
  up = false;
  instance = '';
  #links: WorkerLinks | null = null;
  readonly #seen = new Set<string>();
  /** What it really has; a liar states more. */
  readonly #realSlots: number;
  readonly #labels: Readonly<Record<string, string>>;
  readonly #zone: string;
  #starts = 0;

  constructor(world: World, index: number, slots: number) {
    this.world = world;
    this.name = `w${index}`;
    this.actor = new Actor(this.name, false);
    this.dice = world.streams.of(`worker/${this.name}`);
    this.total = { ...NO_RESOURCES, slots, memoryMb: 4_096, cpuMilli: 4_000 };
    this.#realSlots = chance(this.dice, world.options.liarShare) ? Math.ceil(slots / 2) : slots;
    // The first one has everything that a job of the catalogue demands: nothing may wait for ever.
    this.#labels = index === 0 || chance(this.dice, 0.5) ? { disk: 'ssd' } : {};
    this.#zone = `z${index % 2}`;
  }

  start(): void {
    if (this.up) return;
    this.up = true;
    this.hangs = false;
    this.drains = false;
    this.instance = `${this.name}.${++this.#starts}`;
    this.#links = new WorkerLinks(this, this.#starts, (link, message) => {
      this.#receive(link, message);
    });
    this.#beat();
    this.#resend();
  }

  /** Memory is gone, and with it everything it ran. `silently`: no connection says so. */
  crash(silently: boolean): void {
    if (!this.up) return;
    this.up = false;
    for (const held of this.holds.values()) {
      if (held.result === null) this.record('end', held, 'killed');
    }
    this.holds.clear();
    this.#seen.clear();
    this.world.clockwork.crash(this.actor);
    this.#links?.end(silently);
  }

  nodeDown(node: SimNode): void {
    if (this.up) this.#links?.nodeDown(node);
  }

  record(kind: 'start' | 'complete.sent' | 'complete.rejected', held: HeldAttempt): void;
  record(kind: 'end', held: HeldAttempt, how: string): void;
  record(
    kind: 'start' | 'end' | 'complete.sent' | 'complete.rejected',
    held: HeldAttempt,
    how = '',
  ): void {
    const of = { ref: held.ref, worker: this.name, instance: this.instance };
    const { history } = this.world;
    if (kind === 'start') history.add({ kind, ...of });
    else if (kind === 'end') history.add({ kind, ...of, how });
    else history.add({ kind, ...of, result: held.result?.kind ?? '' });
  }

  /** To the node that gave the attempt; to all of them where that may not be the owner any more. */
  tell(message: WorkerMessage, home: SimNode | null): void {
    if (!this.hangs) this.#links?.send(message, home);
  }

  /** The handler is done: the result is kept and sent until it is answered. */
  finished(held: HeldAttempt): void {
    this.record('complete.sent', held);
    this.#sendResult(held, held.home);
  }

  #beat(): void {
    const waitMs = BEAT_MS * between(this.dice, 0.9, 1.1);
    this.world.clockwork.after(waitMs, this.actor, () => this.#beat());
    if (this.hangs) return;
    const progress = [...this.holds.values()].flatMap((held) => {
      const value = held.progress();
      return value === null ? [] : [{ ref: held.ref, value }];
    });
    this.tell({ kind: 'beat', holds: this.#holdList(), progress }, null);
    for (const link of this.#links?.renew(true) ?? []) this.#attach(link);
  }

  #resend(): void {
    const waitMs = RESEND_MS * between(this.dice, 0.8, 1.2);
    this.world.clockwork.after(waitMs, this.actor, () => this.#resend());
    if (this.hangs) return;
    for (const held of this.holds.values()) this.#sendResult(held, null);
    for (const link of this.#links?.renew(false) ?? []) this.#attach(link);
  }

  #sendResult(held: HeldAttempt, home: SimNode | null): void {
    if (held.result !== null)
      this.tell({ kind: 'finish', ref: held.ref, result: held.result }, home);
  }

  /**
   * Results first, then what is held: a node that has just taken over would otherwise find that a
   * finished attempt is past its time before it hears how it went (WRK-09).
   */
  #attach(link: Link): void {
    for (const { ref, result } of this.holds.values()) {
      if (result !== null) this.#links?.answer(link, { kind: 'finish', ref, result });
    }
    const info = {
      name: this.name,
      instance: this.instance,
      zone: this.#zone,
      labels: this.#labels,
      executors: [],
      total: this.total,
    };
    this.#links?.answer(link, { kind: 'attach', info, holds: this.#holdList() });
  }

  #receive(link: Link, message: NodeMessage): void {
    switch (message.kind) {
      case 'assign': {
        const answer = this.#assigned(link, message);
        if (answer !== null) this.#links?.answer(link, answer);
        return;
      }
      case 'abort':
        return this.holds.get(attemptKey(message.ref))?.abort(message.graceMs, message.why);
      case 'confirm':
        return this.#confirmed(message.ref);
      case 'stale':
        return this.#stale(message.ref);
      case 'restate':
        return this.#attach(link);
      case 'probe':
        if (this.hangs) return;
        this.#links?.answer(link, { kind: 'beat', holds: this.#holdList(), progress: [] });
        return;
      case 'extended':
      case 'drained':
      case 'heard':
    }
  }

  /** What the worker says to an assignment; null for nothing. */
  #assigned(link: Link, message: Assignment): WorkerMessage | null {
    const { ref, request } = message;
    const key = attemptKey(ref);
    const known = this.holds.get(key);
    if (known !== undefined) return known.result === null ? { kind: 'accept', ref } : null;
    // The same frame again, long after: it has been run here.
    if (this.#seen.has(key) || this.hangs) return null;
    const used = this.#slotsUsed() + request.slots;
    if (this.drains) return { kind: 'refuse', ref, holds: null };
    if (used > this.total.slots) return { kind: 'refuse', ref, holds: this.#holdList() };
    if (used > this.#realSlots) return { kind: 'refuse', ref, holds: null };
    this.#seen.add(key);
    const held = new HeldAttempt(this, message, link.node);
    this.holds.set(key, held);
    this.record('start', held);
    held.begin();
    return { kind: 'accept', ref };
  }

  #confirmed(ref: AttemptRef): void {
    const key = attemptKey(ref);
    const held = this.holds.get(key);
    if (held === undefined || held.result === null) return;
    this.holds.delete(key);
    const result = held.result.kind;
    const output = result === 'succeeded' ? held.output : null;
    const of = { ref, worker: this.name, instance: this.instance };
    this.world.history.add({ kind: 'complete.acked', ...of, result, output });
    this.world.sabotage.acked?.(this, held);
  }

  #stale(ref: AttemptRef): void {
    const key = attemptKey(ref);
    const held = this.holds.get(key);
    if (held === undefined) return;
    this.holds.delete(key);
    if (held.result !== null) return this.record('complete.rejected', held);
    held.kill();
    // Nothing is answered, as the protocol says.
    this.record('end', held, 'stale');
  }

  #slotsUsed(): number {
    let used = 0;
    for (const held of this.holds.values()) if (held.result === null) used += held.request.slots;
    return used;
  }

  #holdList(): Hold[] {
    return [...this.holds.values()].map(({ ref, request, result }) => {
      return { ref, request, runs: result === null };
    });
  }
}
