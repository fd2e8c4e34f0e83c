import type { RunStreamed } from './history.ts';
import type { Random } from './options.ts';
import { openStream, type StreamEvent } from './sse.ts';
import type { System } from './system.ts';

const RECONNECT_MS = 100;

/** Follows the stream of one run to its end, on one node after the other; cuts it now and then. */
export class RunWatcher {
  readonly #system: System;
  readonly #random: Random;
  readonly #tenant: string;
  readonly #asked: string;
  readonly #ids: string[] = [];
  readonly #ends: string[] = [];
  #id: string;
  #began: string | null = null;
  #resets = 0;
  #lastEventId: string | null = null;
  #isOver = false;

  constructor(params: { system: System; random: Random; tenant: string; id: string }) {
    this.#system = params.system;
    this.#random = params.random;
    this.#tenant = params.tenant;
    this.#asked = params.id;
    this.#id = params.id;
  }

  /** Until the stream says that there is no more, or it is not to go on. */
  async follow(goesOn: () => boolean): Promise<RunStreamed> {
    const { ports, rootKey } = this.#system;
    while (!this.#isOver && goesOn()) {
      const port = ports[this.#random.int(ports.length)] ?? 0;
      const path = `/runs/${this.#asked}/events`;
      const at = { port, path, rootKey, tenant: this.#tenant, lastEventId: this.#lastEventId };
      const connection = openStream(at, (event) => this.#take(event));
      // Most are cut before their run has ended.
      const cut = setTimeout(connection.cut, this.#random.int(2_000));
      await connection.ended;
      clearTimeout(cut);
      await new Promise((resolve) => setTimeout(resolve, RECONNECT_MS));
    }
    return {
      ...{ tenant: this.#tenant, id: this.#id, began: this.#began, ends: this.#ends },
      ...{ ids: this.#ids, resets: this.#resets, isOver: this.#isOver },
    };
  }

  #take({ id, event, data }: StreamEvent): void {
    if (id !== undefined) this.#lastEventId = id;
    switch (event) {
      case undefined:
      case 'log':
        return;
      case 'end':
        this.#isOver = true;
        return;
      case 'reset':
        this.#resets++;
        return;
      case 'state': {
        const run = JSON.parse(data) as { id: string; state: string };
        this.#began ??= run.state;
        this.#id = run.id;
        return;
      }
      default:
        // Behind the position there may be the time of the last log line.
        if (id !== undefined) this.#ids.push(id.split('~')[0] as string);
        if (event === 'runEnded') this.#ends.push((JSON.parse(data) as { state: string }).state);
    }
  }
}
