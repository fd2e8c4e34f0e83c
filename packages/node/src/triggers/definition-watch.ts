import { type Definition, definitionBytes, readPages, type Store } from '@signalbox/store';
import { PollBackOff } from '../loop/index.ts';
import type { Logger } from '../settings/log-events.ts';

const PAGE = 500;
/** Covers writers that commit in another order than their timestamps. */
const LOOK_BACK_MS = 60_000;
/** A node without others takes one poll in this many: less often than `LOOK_BACK_MS` would miss changes. */
const ALONE_EVERY = 55;

/** A damaged version counts as deleted: the version before it must not apply again. */
const WITHOUT = (definition: Definition): Definition => ({
  ...definition,
  deleted: true,
  body: '{"types":[]}',
});

export interface DefinitionIndex {
  /** Stores a version; a repeated or older version changes nothing. Returns whether the index changed. */
  adopt(definition: Definition): boolean;
}

/**
 * Keeps an index of definitions current. The first poll completes before the node owns a partition: the end of a
 * run whose completion triggers are unknown would never start them. Later polls find changes of other nodes every
 * second, and rarely while there is no other node, so that an idle node reads its store less than once a second.
 */
export class DefinitionWatch<Index extends DefinitionIndex> {
  readonly #store: Store;
  readonly #log: Logger;
  readonly #kind: string;
  readonly #isAlone: () => boolean;
  readonly #changed: () => void;
  readonly index: Index;
  #sinceMs = 0;
  #timer: NodeJS.Timeout | null = null;
  #polling: Promise<void> | null = null;
  #next: Promise<void> | null = null;
  readonly #backOff = new PollBackOff(ALONE_EVERY);

  constructor(params: {
    store: Store;
    log: Logger;
    kind: string;
    index: Index;
    isAlone: () => boolean;
    changed: () => void;
  }) {
    this.#store = params.store;
    this.#log = params.log;
    this.#kind = params.kind;
    this.#isAlone = params.isAlone;
    this.#changed = params.changed;
    this.index = params.index;
  }

  start(everyMs: number): void {
    this.#timer = setInterval(() => void this.#pollIfDue(), everyMs);
    this.#timer.unref();
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
  }

  /** Reads the changes since the last poll; the first poll reads everything. */
  poll(): Promise<void> {
    this.#polling ??= this.#readChanges().finally(() => {
      this.#polling = null;
    });
    return this.#polling;
  }

  /**
   * Resolves when everything that any node had saved before the call is in the index. Calls during a poll share
   * the next poll, so many concurrent calls cost two polls.
   */
  pollNow(): Promise<void> {
    if (this.#timer === null) return Promise.resolve();
    if (this.#polling === null) return this.poll();
    this.#next ??= this.#polling
      .catch(() => {})
      .then(() => {
        this.#next = null;
        return this.poll();
      });
    return this.#next;
  }

  async #readChanges(): Promise<void> {
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
        if (this.index.adopt(definition.damaged ? WITHOUT(definition) : definition)) hasNews = true;
      }
    }
    this.#sinceMs = Math.max(0, now - LOOK_BACK_MS);
    if (hasNews) this.#changed();
  }

  /** A version that was saved on this node applies before its author receives the response. */
  adopt(definition: Definition): void {
    if (this.index.adopt(definition)) this.#changed();
  }

  async #pollIfDue(): Promise<void> {
    if (!this.#backOff.isDue(this.#isAlone())) return;
    try {
      await this.poll();
    } catch (error) {
      // The next poll retries; until then the known definitions apply.
      const fields = { err: error, kind: this.#kind };
      this.#log.debug(
        { event: 'definitions.read_failed', ...fields },
        'definitions cannot be read',
      );
    }
  }
}
