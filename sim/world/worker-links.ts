import type { NodeMessage, WorkerMessage } from './messages.ts';
import type { NodeProcess, SimNode } from './node.ts';
import { between } from './streams.ts';
import type { SimWorker } from './worker.ts';

/** The worker's side of the connection to one node. */
export interface Link {
  readonly node: SimNode;
  /** The process at the other end: a restarted one knows nothing of this connection. */
  process: NodeProcess | null;
  id: number;
  heardAt: number;
}

const SILENT_MS = 15_000;

/** The connections of one start of a worker, one to every node. */
export class WorkerLinks {
  readonly #worker: SimWorker;
  readonly #links: readonly Link[];
  /** Connections of a later start are newer than any of an earlier one. */
  readonly #base: number;
  readonly #receive: (link: Link, message: NodeMessage) => void;
  #isClosed = false;
  #next = 1;

  constructor(
    worker: SimWorker,
    start: number,
    receive: (link: Link, message: NodeMessage) => void,
  ) {
    this.#worker = worker;
    this.#base = start * 1e6;
    this.#receive = receive;
    this.#links = worker.world.nodes.map((node) => ({ node, process: null, id: 0, heardAt: 0 }));
  }

  /** To one node, or to all of them. */
  send(message: WorkerMessage, to: SimNode | null): void {
    for (const link of this.#links) if (to === null || link.node === to) this.answer(link, message);
  }

  /** Connects what is not connected, and gives up what has been silent; answers the new ones. */
  renew(givesUpSilent: boolean): Link[] {
    const { now } = this.#worker.world.clockwork;
    return this.#links.filter((link) => {
      if (link.process !== null) {
        if (!givesUpSilent || now - link.heardAt <= SILENT_MS) return false;
        this.#close(link);
      }
      return this.#connect(link);
    });
  }

  /** `silently`: nobody is told that the connections are gone. */
  end(silently: boolean): void {
    if (!silently) for (const link of this.#links) this.#close(link);
    this.#isClosed = true;
  }

  /** The process at the other end is gone; a moment later this end knows. */
  nodeDown(node: SimNode): void {
    const { world, dice, actor } = this.#worker;
    const link = this.#links.find((each) => each.node === node);
    if (link === undefined) return;
    world.clockwork.after(between(dice, 0, 50), actor, () => {
      if (link.process !== node.process) link.process = null;
    });
  }

  answer(link: Link, message: WorkerMessage): void {
    const { process, id, node } = link;
    if (process === null || this.#isClosed) return;
    const { name, actor, world } = this.#worker;
    const send = (answer: NodeMessage) => {
      world.network.send(node.actor, actor, () => {
        if (this.#isClosed || link.id !== id || link.process !== process) return;
        link.heardAt = world.clockwork.now;
        this.#receive(link, answer);
      });
    };
    const connection = { worker: name, id: this.#base + id, send };
    world.network.send(actor, node.actor, () => {
      if (node.process === process) process.gateway.receive(connection, message);
    });
  }

  #connect(link: Link): boolean {
    const { process } = link.node;
    if (process === null || link.node.actor.paused) return false;
    link.process = process;
    link.id = this.#next++;
    link.heardAt = this.#worker.world.clockwork.now;
    return true;
  }

  #close(link: Link): void {
    const { process, node } = link;
    if (process === null) return;
    link.process = null;
    const closed = { worker: this.#worker.name, id: this.#base + link.id };
    this.#worker.world.network.send(this.#worker.actor, node.actor, () => {
      if (node.process === process) process.gateway.closed(closed);
    });
  }
}
