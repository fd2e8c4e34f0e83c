import { inboxId, partitionOf } from '@signalbox/engine';
import { packEvents } from '@signalbox/node/loop';
import { LISTENS, PING } from './catalogue.ts';
import type { ClientLine } from './client-line.ts';
import type { SimNode } from './node.ts';
import { chance, pick } from './streams.ts';
import type { World } from './world.ts';

interface SentEvent {
  readonly tenant: string;
  readonly key: string;
  readonly n: number;
}

const TRIES_MAX = 8;
const encoder = new TextEncoder();

/** Clients that send events, to any node, again where nobody answered, and some again much later. */
export class Senders {
  readonly #world: World;
  readonly #line: ClientLine;
  readonly #sent: SentEvent[] = [];
  #count = 0;
  #pending = 0;

  constructor(world: World, line: ClientLine) {
    this.#world = world;
    this.#line = line;
  }

  get isQuiet(): boolean {
    return this.#pending === 0;
  }

  begin(): void {
    this.#line.every(4_000, () => {
      this.#pending++;
      this.#try(this.#draw(), 1);
      this.begin();
    });
  }

  #draw(): SentEvent {
    const { dice } = this.#line;
    if (this.#sent.length > 0 && chance(dice, 0.3)) return pick(dice, this.#sent.slice(-6));
    const n = ++this.#count;
    const event = { tenant: pick(dice, this.#world.catalogue.tenants).tenant, key: `e${n}`, n };
    this.#sent.push(event);
    return event;
  }

  #try(event: SentEvent, tries: number): void {
    const again = () => this.#line.later(1_500, () => this.#try(event, tries + 1));
    if (tries > TRIES_MAX) return void this.#pending--;
    const node = pick(this.#line.dice, this.#world.nodes);
    if (node.process === null) return again();
    this.#line.ask(
      node,
      () => this.#receive(node, event),
      (entry) => {
        if (entry === null) return again();
        this.#pending--;
        this.#world.history.add({ kind: 'event.ok', entry });
      },
    );
  }

  /** As a node does it: into the inbox of the partition where somebody may wait, then the answer. */
  async #receive({ process }: SimNode, { tenant, key, n }: SentEvent): Promise<string | null> {
    if (process === null) return null;
    const { loop, store } = process;
    const partition = partitionOf(tenant, LISTENS.name, this.#world.options.partitions);
    const random = () => this.#line.dice.int(2 ** 32);
    const atMs = loop.time.now();
    const id = inboxId({ ms: atMs, partition, randomHigh: random(), randomLow: random() });
    this.#world.history.add({ kind: 'event.sent', entry: id, tenant, key, n });
    const event = encoder.encode(JSON.stringify({ n }));
    const packed = packEvents([{ type: PING, key, event }]);
    await store.putInbox({ id, partition, tenant, atMs, ...packed });
    if (loop.owns(partition)) loop.lookIntoInbox();
    return id;
  }
}
