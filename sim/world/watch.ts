import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Book, Engine, Run } from '@signalbox/engine';
import type { CommitLoop } from '@signalbox/node/loop';

/** A call of a loop whose caller waits. */
interface Waiting {
  readonly what: string;
  readonly since: number;
}

/** What one node process still holds, for checkers that look at what is left over. */
export class Watch {
  readonly #now: () => number;
  readonly #runs: WeakRef<Run>[] = [];
  readonly #waiting = new Set<Waiting>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Remembers every run that the engine holds, without keeping it. */
  observe({ core }: Engine): void {
    const emit = core.emit.bind(core);
    core.emit = (book, fact, run) => {
      emit(book, fact, run);
      if (fact.kind === 'runSubmitted') this.#see(book, fact.run.seq);
      else if (fact.kind === 'runsPagedIn') for (const { seq } of fact.runs) this.#see(book, seq);
    };
  }

  /** Remembers every promise that the loop gives, until it settles. */
  follow(loop: CommitLoop): void {
    for (const name of ['execute', 'executeAll', 'durable', 'flushed'] as const) {
      const call = (loop[name] as (...args: never[]) => Promise<unknown>).bind(loop);
      const observed = (...args: never[]): Promise<unknown> => {
        const waiting = { what: name, since: this.#now() };
        this.#waiting.add(waiting);
        const done = () => this.#waiting.delete(waiting);
        const promise = call(...args);
        promise.then(done, done);
        return promise;
      };
      Object.assign(loop, { [name]: observed });
    }
  }

  get waiting(): readonly Waiting[] {
    return [...this.#waiting];
  }

  /** Runs that are over for the engine and cannot be freed, because something refers to them. */
  leftOver({ core }: Engine): number {
    return this.#runs.reduce((count, ref) => {
      const run = ref.deref();
      if (run === undefined) return count;
      return core.books.get(run.partition)?.runs.get(run.seq) === run ? count : count + 1;
    }, 0);
  }

  #see(book: Book, seq: number): void {
    const run = book.runs.get(seq);
    if (run !== undefined) this.#runs.push(new WeakRef(run));
  }
}

let collect: (() => void) | null = null;

/** Frees what nothing refers to. A turn of the event loop first: promises may still hold something. */
export async function collectGarbage(): Promise<void> {
  if (collect === null) {
    setFlagsFromString('--expose-gc');
    collect = runInNewContext('gc') as () => void;
  }
  await new Promise((resolve) => setImmediate(resolve));
  collect();
}
