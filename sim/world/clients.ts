import { ClientLine } from './client-line.ts';
import { Onlookers } from './onlookers.ts';
import { Senders } from './senders.ts';
import type { StoreWay } from './store-door.ts';
import { Submitters } from './submitters.ts';
import type { World } from './world.ts';

/** Everybody outside: who submits, who sends events, and who looks at what was submitted. */
export class Clients {
  readonly submitters: Submitters;
  readonly onlookers: Onlookers;
  readonly senders: Senders;
  readonly #world: World;
  readonly #line: ClientLine;

  constructor(world: World) {
    this.#world = world;
    this.#line = new ClientLine(world);
    this.submitters = new Submitters(world, this.#line);
    this.senders = new Senders(world, this.#line);
    this.onlookers = new Onlookers(world, this.#line, this.submitters.known);
  }

  get way(): StoreWay {
    return this.#line.way;
  }

  get isQuiet(): boolean {
    return this.submitters.isQuiet && this.senders.isQuiet;
  }

  /** Saves the definitions of all jobs, before anything can go wrong. */
  async define(): Promise<void> {
    const { catalogue, disk } = this.#world;
    for (const { tenant } of catalogue.tenants) {
      for (const { name, definition } of catalogue.jobs) {
        const body = JSON.stringify(definition);
        const change = { tenant, kind: 'job', name, expectedVersion: 0, body, author: 'sim' };
        await disk.store.putDefinition(change);
      }
    }
  }

  begin(): void {
    this.submitters.begin();
    this.onlookers.begin();
    if (this.#world.options.hears) this.senders.begin();
  }

  end(): void {
    this.#line.end();
  }
}
