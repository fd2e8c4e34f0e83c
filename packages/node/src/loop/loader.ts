import type {
  Command,
  Effect,
  Engine,
  PageWanted,
  Run,
  RunId,
  SubmittedRun,
} from '@signalbox/engine';
import { DUE_LANE, formatRunId, refOf } from '@signalbox/engine';
import type { FoundDamage, ParkedRun, Store, StoreError } from '@signalbox/store';
import { asStoreError } from './committer.ts';
import type { LoopPorts } from './ports.ts';
import type { Specs } from './specs.ts';
import { toSubmitted } from './take-over.ts';

const READS_AT_ONCE = 4;
/** After a failed read that a decision waits for. */
const RETRY_MS = 1_000;

const NONE_DAMAGED: ReadonlySet<Run> = new Set();
const DAMAGED_INPUT = 'the input of the run is damaged in the store';

type Assign = Effect & { kind: 'assign' };

interface LoaderParams {
  readonly store: Store;
  readonly ports: LoopPorts;
  readonly engine: Engine;
  readonly specs: Specs;
  /** Resolves when everything decided so far is durable. */
  decidedIsDurable(): Promise<void>;
  deliver(command: Command): void;
  storeFailed(error: StoreError): void;
}

/**
 * Reads what memory does not hold: pages of parked runs, inputs of runs that were recovered
 * without them. Reading never blocks deciding; what was read comes back as a command like any other.
 */
export class Loader {
  readonly #p: LoaderParams;
  readonly #pages = new Set<string>();
  /** Runs whose rows were not found. */
  readonly #missed = new WeakSet<Run>();
  #stopped = false;

  constructor(params: LoaderParams) {
    this.#p = params;
  }

  stop(): void {
    this.#stopped = true;
  }

  /** Starts reading the pages that the queues want. */
  look(): void {
    if (this.#pages.size >= READS_AT_ONCE) return;
    const wanted = this.#p.engine.pagesWanted((partition, lane) => {
      return this.#pages.has(pageKey(partition, lane));
    });
    for (const page of wanted.slice(0, READS_AT_ONCE - this.#pages.size)) void this.#readPage(page);
  }

  /** Sends effects on, each assignment with its input. */
  release(effects: readonly Effect[]): void {
    const ready: Effect[] = [];
    const bare: Assign[] = [];
    for (const effect of effects) {
      if (effect.kind === 'assign' && lacksInput(effect.attempt.task.run)) bare.push(effect);
      else if (effect.kind === 'loadInput') void this.#loadForDecision(effect.run);
      else if (effect.kind === 'startRun' && lacksInput(effect.task.run)) {
        void this.#loadForDecision(effect.task.run).then((isThere) => {
          if (isThere) this.#send([effect]);
        });
      } else ready.push(effect);
    }
    this.#send(ready);
    for (const batch of inBatches(bare)) void this.#loadInputs(batch);
  }

  #send(effects: readonly Effect[]): void {
    if (effects.length === 0) return;
    for (const effect of effects) if (effect.kind === 'assign') effect.attempt.sent = true;
    this.#p.ports.release(effects);
  }

  /**
   * Sends assignments when their inputs have been read, however often that has to be tried: without its
   * input nothing starts. An attempt that is stopped or given up meanwhile is not sent.
   */
  async #loadInputs(batch: readonly Assign[]): Promise<void> {
    for (let bare = batch; ; await this.#pause()) {
      const damaged = await this.#readInputs(bare.map(({ attempt }) => attempt.task.run));
      if (this.#stopped) return;
      const here = bare.filter(({ attempt }) => this.#isHere(attempt.task.run));
      const live = here.filter(({ attempt }) => isLive(attempt));
      for (const effect of here) if (!live.includes(effect)) this.#answerUnsent(effect);
      for (const effect of live) if (damaged.has(effect.attempt.task.run)) this.#failUnsent(effect);
      this.#send(live.filter(({ attempt }) => !lacksInput(attempt.task.run)));
      bare = live.filter(({ attempt: { task } }) => lacksInput(task.run) && !damaged.has(task.run));
      if (bare.length === 0) return;
    }
  }

  /**
   * A worker does not answer an order to stop what it never got, so the answer is given here: otherwise
   * the task and its place wait for the whole grace.
   */
  #answerUnsent({ worker, attempt }: Assign): void {
    const result = { kind: 'stopped' } as const;
    this.#p.deliver({ kind: 'finish', worker, ref: refOf(attempt), result });
  }

  /** Without its input the task can never start, and waiting would hide that. */
  #failUnsent({ worker, attempt }: Assign): void {
    const result = { kind: 'failed', error: DAMAGED_INPUT, class: 'permanent' } as const;
    this.#p.deliver({ kind: 'finish', worker, ref: refOf(attempt), result });
  }

  /** A decision waits for the run's input. Returns false where the run has left this node meanwhile. */
  async #loadForDecision(run: Run): Promise<boolean> {
    for (; lacksInput(run); await this.#pause()) {
      if (this.#stopped || !this.#isHere(run)) return false;
      const damaged = await this.#readInputs([run]);
      if (!lacksInput(run)) break;
      if (damaged.has(run)) {
        const { partition, seq } = run;
        this.#p.deliver({ kind: 'cancel', partition, seq, by: 'signalbox', reason: DAMAGED_INPUT });
        return false;
      }
    }
    if (this.#stopped || !this.#isHere(run)) return false;
    const { partition, seq } = run;
    this.#p.deliver({ kind: 'reevaluate', partition, seq });
    return true;
  }

  /** Returns the runs whose rows are damaged: those lack their inputs for good. Others may be found later. */
  async #readInputs(runs: readonly Run[]): Promise<ReadonlySet<Run>> {
    const ids = runs.map(({ ms, partition, seq, spec }) => {
      return { tenant: spec.tenant, id: { ms, partition, seq } };
    });
    try {
      const rows = await this.#p.store.readRuns({ ids, withInput: true });
      const inputs = new Map(rows.map((row) => [`${row.id.partition}/${row.id.seq}`, row.input]));
      for (const run of runs) {
        const input = inputs.get(`${run.partition}/${run.seq}`) ?? null;
        if (input !== null && lacksInput(run)) this.#setInput(run, input);
      }
      return await this.#damagedOf(
        runs.filter((run) => !inputs.has(`${run.partition}/${run.seq}`)),
      );
    } catch (error) {
      this.#p.storeFailed(asStoreError(error));
      return NONE_DAMAGED;
    }
  }

  /** A run that was set aside is refused by the next look. */
  async #damagedOf(missing: readonly Run[]): Promise<ReadonlySet<Run>> {
    const damaged = new Set<Run>();
    for (const run of missing) {
      const { ms, partition, seq, spec } = run;
      try {
        const id = { ms, partition, seq };
        const stored = await this.#p.store.getRun({ tenant: spec.tenant, id });
        if (stored !== null) continue;
        // The row of a live run is never removed: missing twice, it has another key now, or is lost.
        if (this.#missed.has(run)) await this.#p.store.setAside(missingRow(spec.tenant, id));
        this.#missed.add(run);
      } catch (error) {
        if (asStoreError(error).kind !== 'damaged') throw error;
        damaged.add(run);
      }
    }
    return damaged;
  }

  /** The partition may have left, or come back as another fold of its facts. */
  #isHere(run: Run): boolean {
    return this.#p.engine.core.books.get(run.partition)?.runs.get(run.seq) === run;
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => {
      this.#p.ports.after(RETRY_MS, resolve);
    });
  }

  #setInput(run: Run, input: Uint8Array): void {
    run.input = input;
    const book = this.#p.engine.core.books.get(run.partition);
    if (book?.runs.get(run.seq) === run) book.inputBytes += run.inputBytes;
  }

  async #readPage(page: PageWanted): Promise<void> {
    const { partition, lane, upTo, limit, bytes } = page;
    const key = pageKey(partition, lane);
    this.#pages.add(key);
    const epoch = this.#p.engine.core.books.get(partition)?.epoch;
    try {
      const after = page.after && {
        sort: page.after.sort,
        id: { ms: page.after.ms, partition, seq: page.after.seq },
      };
      // Due times do not come in the order of their submission: one that is still on its way to the
      // store may sort before others, and what the cursor has passed is never read again.
      if (lane === DUE_LANE) await this.#p.decidedIsDurable();
      const read = await this.#p.store.readParked({ partition, lane, after, upTo, limit, bytes });
      const runs = await this.#withSpecs(read.runs);
      // Read for an ownership that has ended since: the new one reads for itself.
      if (this.#stopped || this.#p.engine.core.books.get(partition)?.epoch !== epoch) return;
      const cursor = read.last && {
        sort: read.last.sort,
        ms: read.last.id.ms,
        seq: read.last.id.seq,
      };
      const { exhausted } = read;
      const from = page.after;
      this.#p.deliver({ kind: 'pageIn', partition, lane, after: from, runs, cursor, exhausted });
    } catch (error) {
      this.#p.storeFailed(asStoreError(error));
    } finally {
      // Not before the page is taken in: `deliver` only queues it.
      this.#p.ports.defer(() => this.#pages.delete(key));
    }
  }

  async #withSpecs(rows: readonly ParkedRun[]): Promise<SubmittedRun[]> {
    const runs: SubmittedRun[] = [];
    for (const { run } of rows) {
      const version = { tenant: run.tenant, job: run.job, version: run.jobVersion };
      const { specs } = this.#p;
      const spec = specs.known(version) ?? (await specs.loadReadable(version));
      if (spec !== null) runs.push(toSubmitted(run, spec));
    }
    return runs;
  }
}

function pageKey(partition: number, lane: string): string {
  return `${partition}/${lane}`;
}

function lacksInput(run: Run): boolean {
  return run.input === null && run.inputBytes > 0;
}

/** Inputs that are read at once: all of them are one answer of the store. */
const BATCH_BYTES_MAX = 8_388_608;
const BATCH_RUNS_MAX = 1_000;

/** Cut by the lengths of their inputs, which are known without them. */
function inBatches(effects: readonly Assign[]): Assign[][] {
  const batches: Assign[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const effect of effects) {
    const last = batches.at(-1);
    if (last === undefined || bytes >= BATCH_BYTES_MAX || last.length === BATCH_RUNS_MAX) {
      batches.push([effect]);
      bytes = 0;
    } else last.push(effect);
    bytes += effect.attempt.task.run.inputBytes;
  }
  return batches;
}

/** Not superseded, and not told to stop while its input was read: the abort has gone ahead. */
function isLive(attempt: Assign['attempt']): boolean {
  return attempt.task.attempt === attempt && attempt.stopAt === 0;
}

function missingRow(tenant: string, id: RunId): FoundDamage {
  const place = { kind: 'run', key: formatRunId(id), partition: id.partition, tenant } as const;
  return { ...place, error: 'the row is missing', bytes: new Uint8Array(0) };
}
