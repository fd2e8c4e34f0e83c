import type { Definition, DefinitionCursor, Store } from '@signalbox/store';
import type { Logger } from 'pino';
import type { CommitLoop } from '../loop/index.ts';
import { TRIGGER_KIND } from './stored-trigger.ts';
import type { TriggerBook } from './trigger-book.ts';

const PAGE = 500;
/** Two writers may commit in another order than their times say. */
const LOOK_BACK_MS = 60_000;
/** Of so many looks one is taken where no other node is there. Within what is looked back. */
const LOOKS_ALONE = 30;

/**
 * Keeps the book of triggers as the store has it. It is read once before the node owns anything: the
 * end of a run whose followers are not known yet would start nothing, for ever. Later changes by other
 * nodes are looked for every second; where there is no other node none writes, and it is looked for
 * seldom, so that a node at rest asks its store less than once a second.
 */
export class TriggerWatch {
  readonly #store: Store;
  readonly #loop: () => CommitLoop;
  readonly #log: Logger;
  readonly book: TriggerBook;
  #sinceMs = 0;
  #timer: NodeJS.Timeout | null = null;
  #looking: Promise<void> | null = null;
  #passedOver = 0;

  constructor(params: { store: Store; loop: () => CommitLoop; log: Logger; book: TriggerBook }) {
    this.#store = params.store;
    this.#loop = params.loop;
    this.#log = params.log;
    this.book = params.book;
  }

  start(everyMs: number): void {
    this.#timer = setInterval(() => void this.#lookAgain(), everyMs);
    this.#timer.unref();
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
  }

  /** Reads what has changed; the first time, everything. */
  look(): Promise<void> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = null;
    });
    return this.#looking;
  }

  async #look(): Promise<void> {
    const now = await this.#store.now();
    let after: DefinitionCursor = { atMs: this.#sinceMs, tenant: '', name: '', version: 0 };
    let hasNews = false;
    for (;;) {
      const page = await this.#store.listDefinitionChanges({
        kind: TRIGGER_KIND,
        after,
        limit: PAGE,
      });
      for (const definition of page) if (this.book.adopt(definition)) hasNews = true;
      if (page.length < PAGE) break;
      after = page.at(-1) as Definition;
    }
    this.#sinceMs = Math.max(0, now - LOOK_BACK_MS);
    if (hasNews) this.#loop().follow(this.book.followers());
  }

  /** A version that was saved on this node counts before its author is answered. */
  adopt(definition: Definition): void {
    if (this.book.adopt(definition)) this.#loop().follow(this.book.followers());
  }

  async #lookAgain(): Promise<void> {
    this.#passedOver = this.#loop().leases.isAlone ? (this.#passedOver + 1) % LOOKS_ALONE : 0;
    if (this.#passedOver > 0) return;
    try {
      await this.look();
    } catch (error) {
      // The next look asks again; meanwhile what was known holds.
      this.#log.debug({ err: error }, 'triggers could not be read');
    }
  }
}
