import { type Definition, definitionBytes, readPages, type Store } from '@signalbox/store';
import { Looks } from '../loop/index.ts';
import type { Logger } from '../settings/log-events.ts';

const PAGE = 500;
/** Two writers may commit in another order than their times say. */
const LOOK_BACK_MS = 60_000;
/** Below what is looked back: whoever comes finds nothing missed. */
const LOOKS_ALONE = 55;

/** A version that is damaged counts as deleted: the version before it must not come back into force. */
const WITHOUT = (definition: Definition): Definition => ({
  ...definition,
  deleted: true,
  body: '{"types":[]}',
});

export interface DefinitionBook {
  /** Takes a version in; said again, or after a newer one, it changes nothing. Answers whether it did. */
  adopt(definition: Definition): boolean;
}

/**
 * Keeps a book of definitions as the store has it. It is read once before the node owns anything: the
 * end of a run whose followers are not known yet would start nothing, for ever. Later changes by other
 * nodes are looked for every second; where there is no other node none writes, and it is looked for
 * seldom, so that a node at rest asks its store less than once a second.
 */
export class DefinitionWatch<Book extends DefinitionBook> {
  readonly #store: Store;
  readonly #log: Logger;
  readonly #kind: string;
  readonly #isAlone: () => boolean;
  readonly #changed: () => void;
  readonly book: Book;
  #sinceMs = 0;
  #timer: NodeJS.Timeout | null = null;
  #looking: Promise<void> | null = null;
  #next: Promise<void> | null = null;
  readonly #looks = new Looks(LOOKS_ALONE);

  constructor(params: {
    store: Store;
    log: Logger;
    kind: string;
    book: Book;
    isAlone: () => boolean;
    changed: () => void;
  }) {
    this.#store = params.store;
    this.#log = params.log;
    this.#kind = params.kind;
    this.#isAlone = params.isAlone;
    this.#changed = params.changed;
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

  /**
   * Resolves when everything is known that anybody had saved before it was asked. Whoever asks while a
   * look is under way shares the next one, so that many who ask at once cost two.
   */
  fresh(): Promise<void> {
    if (this.#timer === null) return Promise.resolve();
    if (this.#looking === null) return this.look();
    this.#next ??= this.#looking
      .catch(() => {})
      .then(() => {
        this.#next = null;
        return this.look();
      });
    return this.#next;
  }

  async #look(): Promise<void> {
    const now = await this.#store.now();
    const start = { atMs: this.#sinceMs, tenant: '', name: '', version: 0 };
    let hasNews = false;
    const pages = readPages<Definition>({
      limit: PAGE,
      bytesOf: definitionBytes,
      read: (after, limits) =>
        this.#store.listDefinitionChanges({ kind: this.#kind, after: after ?? start, ...limits }),
    });
    for await (const page of pages) {
      for (const definition of page) {
        if (this.book.adopt(definition.damaged ? WITHOUT(definition) : definition)) hasNews = true;
      }
    }
    this.#sinceMs = Math.max(0, now - LOOK_BACK_MS);
    if (hasNews) this.#changed();
  }

  /** A version that was saved on this node counts before its author is answered. */
  adopt(definition: Definition): void {
    if (this.book.adopt(definition)) this.#changed();
  }

  async #lookAgain(): Promise<void> {
    if (!this.#looks.isDue(this.#isAlone())) return;
    try {
      await this.look();
    } catch (error) {
      // The next look asks again; meanwhile what was known holds.
      const fields = { err: error, kind: this.#kind };
      this.#log.debug(
        { event: 'definitions.read_failed', ...fields },
        'definitions cannot be read',
      );
    }
  }
}
