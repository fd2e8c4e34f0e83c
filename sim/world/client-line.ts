import { ApiError } from '@signalbox/node/context';
import type { Store } from '@signalbox/store';
import { StoreError } from '@signalbox/store';
import { Actor } from './clockwork.ts';
import type { SimNode } from './node.ts';
import { goodWay, StoreDoor, type StoreWay } from './store-door.ts';
import { between, chance, type Dice, exponential, pick } from './streams.ts';
import type { World } from './world.ts';

const TIMEOUT_MS = 4_000;

/** How clients reach nodes and the store: over the network, with a limit to their patience. */
export class ClientLine {
  readonly way: StoreWay = goodWay();
  readonly store: Store;
  readonly dice: Dice;
  readonly #world: World;
  readonly #actor = new Actor('clients', true);
  #ended = false;

  constructor(world: World) {
    this.#world = world;
    this.dice = world.streams.of('workload');
    this.store = new StoreDoor({
      disk: world.disk.store,
      clockwork: world.clockwork,
      caller: this.#actor,
      desk: world.desk,
      way: this.way,
      dice: world.streams.of('clients-store'),
      coverage: world.coverage,
    }).store;
  }

  /** Nothing new from now on; what was begun goes on. */
  end(): void {
    this.#ended = true;
  }

  /** Once, after a drawn while, unless clients have stopped by then. */
  every(meanMs: number, act: () => void): void {
    this.later(meanMs, () => {
      if (!this.#ended) act();
    });
  }

  later(meanMs: number, act: () => void): void {
    this.#world.clockwork.after(exponential(this.dice, meanMs), this.#actor, act);
  }

  /** A node that says of itself that it owns the partition. */
  ownerOf(partition: number): SimNode | null {
    const { nodes } = this.#world;
    const start = this.dice.int(nodes.length);
    for (let i = 0; i < nodes.length; i++) {
      const node = nodes[(start + i) % nodes.length] as SimNode;
      if (node.process?.isReady && node.process.loop.owns(partition)) return node;
    }
    return null;
  }

  /** Any node that answers requests; null where the one drawn does not. */
  anyNode(): SimNode | null {
    const node = pick(this.dice, this.#world.nodes);
    return node.process?.isReady ? node : null;
  }

  /** A request to a node and its answer, both over the network; null where none came in time. */
  ask<T>(node: SimNode, work: () => Promise<T>, told: (answer: T | null) => void): void {
    const { clockwork, network } = this.#world;
    let isSettled = false;
    const settle = (answer: T | null) => {
      if (isSettled) return;
      isSettled = true;
      clockwork.cancel(timeout);
      told(answer);
    };
    // Some close in the middle: the node goes on with what it was asked.
    const closes = chance(this.dice, this.#world.options.wild.impatience);
    if (closes) this.#world.coverage.sometimes('client closed before its answer');
    const patienceMs = closes
      ? between(this.dice, 0, 40)
      : TIMEOUT_MS * between(this.dice, 0.5, 1.5);
    const timeout = clockwork.after(patienceMs, this.#actor, () => settle(null));
    let hasArrived = false;
    network.send(this.#actor, node.actor, () => {
      // A request goes over one connection once: only who asks again asks twice.
      if (hasArrived) return;
      hasArrived = true;
      const { process } = node;
      work().then(
        (answer) => {
          if (node.process !== process || process === null) return;
          network.send(node.actor, this.#actor, () => settle(answer));
        },
        (error) => {
          // The store failed under a look-up: the client gets no answer.
          if (error instanceof StoreError || error instanceof ApiError) return;
          this.#world.broken(node, error);
        },
      );
    });
  }
}
