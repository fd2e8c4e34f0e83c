import { type Decided, Engine, type EnginePorts } from '../engine.ts';
import type { Book } from '../model/book.ts';
import { type AttemptRef, refOf } from '../model/run.ts';
import { encodeCheckpoint } from '../recover/checkpoint.ts';
import type { EngineSettings } from '../settings.ts';
import type { ZoneOf } from '../triggers/recurrence.ts';
import { FakeStore, type SavedCheckpoint } from './fake-store.ts';
import { Harness } from './harness.ts';

/** A harness whose groups go to a store, so that another node can take the partition over. */
export class Recorded extends Harness {
  readonly store = new FakeStore(0);
  epoch = 1;
  readonly #settings: Partial<EngineSettings>;

  readonly #zoneOf: ZoneOf | undefined;

  readonly #graphPorts: EnginePorts | undefined;

  constructor(
    params: {
      settings?: Partial<EngineSettings>;
      seed?: number;
      zoneOf?: ZoneOf;
      graphPorts?: EnginePorts;
    } = {},
  ) {
    super(params);
    this.#zoneOf = params.zoneOf;
    this.#graphPorts = params.graphPorts;
    this.#settings = params.settings ?? {};
  }

  get book(): Book {
    return this.engine.core.books.get(0) as Book;
  }

  override flush(): Decided {
    const decided = super.flush();
    this.store.append({ epoch: this.epoch, at: this.now, facts: decided.facts });
    return decided;
  }

  saveCheckpoint(): SavedCheckpoint {
    this.flush();
    return { groupCount: this.store.groups.length, chunks: encodeCheckpoint(this.book) };
  }

  /** The node dies: what was decided and not flushed is gone. Another one takes over. */
  takeOver(
    params: { checkpoint?: SavedCheckpoint; settings?: Partial<EngineSettings> } = {},
  ): void {
    this.epoch++;
    const book = this.store.rebuild(this.epoch, params.checkpoint ?? null);
    const settings = { ...this.#settings, ...params.settings };
    const engine = new Engine(settings, this.#zoneOf, this.#graphPorts);
    (this as { engine: Engine }).engine = engine;
    this.apply({ kind: 'takePartition', book });
    this.flush();
  }

  /** The same node loses the partition and gets it back. */
  loseAndTakeAgain(): void {
    this.apply({ kind: 'leavePartition', partition: this.book.partition });
    this.flush();
    this.epoch++;
    this.apply({ kind: 'takePartition', book: this.store.rebuild(this.epoch, null) });
    this.flush();
  }

  /** What the workers would say that they hold, were they asked now. */
  heldBy(worker: string): AttemptRef[] {
    return this.live()
      .filter((attempt) => attempt.workerName === worker && attempt.sent)
      .map(refOf);
  }
}
