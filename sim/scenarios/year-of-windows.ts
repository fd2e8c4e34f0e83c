import {
  Book,
  DEFAULT_SCHEDULE,
  Engine,
  encodeCheckpoint,
  encodeGroup,
  type Fact,
  jobSpec,
  planRebuild,
  rebuild,
  type ScheduleSpec,
  type SubmittedRun,
  seededRandom,
  type TailGroup,
} from '@signalbox/engine';
import { zoneOf } from '@signalbox/node/zones';

const SPEC = jobSpec({ tenant: 't', job: 'job', version: 1, definition: {} });

/** A checkpoint is taken after so many groups, as the loop does: the tail is read at a take-over. */
const GROUPS_KEPT = 5_000;

export interface YearParams {
  readonly seed: number;
  readonly schedules: readonly ScheduleSpec['when'][];
  readonly fromMs: number;
  readonly untilMs: number;
  /** Mean time between two deaths of the owner; what it had decided and not written is gone. */
  readonly failoverMsMean: number;
  /** How long nobody owns the partition afterwards. */
  readonly takeOverMs: number;
}

export interface YearResult {
  /** By schedule: every window that has a run, in the order of the journal. */
  readonly fired: ReadonlyMap<string, readonly number[]>;
  readonly skipped: number;
  readonly failovers: number;
  readonly lateMsMax: number;
}

/**
 * The engine, and a journal that keeps what was flushed: owners die at drawn moments and the next one
 * rebuilds from checkpoint and tail. Runs end at once, so that only windows are looked at.
 */
export function liveYear(params: YearParams): YearResult {
  const owner = new Owners(params);
  for (let now = params.fromMs; now < params.untilMs; ) now = owner.step(now);
  return owner.result();
}

class Owners {
  readonly #p: YearParams;
  readonly #dice;
  readonly #fired = new Map<string, number[]>();
  #tail: TailGroup[] = [];
  #rows = new Map<number, SubmittedRun>();
  #chunks: readonly Uint8Array[] = [];
  #engine: Engine;
  #epoch = 1;
  #group = 1;
  #skipped = 0;
  #failovers = 0;
  #lateMsMax = 0;
  #diesAt: number;

  constructor(params: YearParams) {
    this.#p = params;
    this.#dice = seededRandom(params.seed);
    this.#engine = new Engine({}, zoneOf);
    const { fromMs: now } = params;
    this.#engine.apply({ kind: 'takePartition', book: new Book(0, 1) }, now, this.#dice);
    for (const [i, when] of params.schedules.entries()) {
      const spec = { ...DEFAULT_SCHEDULE, job: 'job', when };
      const of = { partition: 0, tenant: 't', schedule: `s${i}`, version: 1, savedAt: now };
      this.#engine.apply({ kind: 'setSchedule', ...of, spec }, now, this.#dice);
    }
    this.#flush(now);
    this.#diesAt = this.#nextDeath(now);
  }

  /** Lets the owner decide what is due, and answers when something is due again. */
  step(now: number): number {
    this.#decide(now);
    if (now >= this.#diesAt) return this.#die(now);
    this.#flush(now);
    const next = this.#engine.nextWakeAt() ?? this.#p.untilMs;
    return Math.min(Math.max(now + 1, next), this.#diesAt);
  }

  result(): YearResult {
    const { fired, skipped } = { fired: this.#fired, skipped: this.#skipped };
    return { fired, skipped, failovers: this.#failovers, lateMsMax: this.#lateMsMax };
  }

  #decide(now: number): void {
    const engine = this.#engine;
    engine.apply({ kind: 'tick' }, now, this.#dice);
    while (engine.schedule(now, this.#dice));
    for (const wanted of engine.jobsWanted()) {
      const head = { kind: 'ready', spec: SPEC } as const;
      engine.apply({ kind: 'setJob', ...wanted, head }, now, this.#dice);
    }
    while (engine.schedule(now, this.#dice));
    const book = engine.core.books.get(0) as Book;
    for (const seq of [...book.runs.keys()]) {
      engine.apply({ kind: 'cancel', partition: 0, seq, by: '', reason: '' }, now, this.#dice);
    }
  }

  /** What was decided since the last flush never happened; the next owner reads the journal. */
  #die(now: number): number {
    this.#failovers++;
    this.#epoch++;
    const plan = planRebuild({ partition: 0, chunks: this.#chunks, tail: this.#tail });
    const findSpec = () => SPEC;
    const book = rebuild(plan, { epoch: this.#epoch, rows: this.#rows, findSpec });
    this.#engine = new Engine({}, zoneOf);
    const at = now + Math.floor(this.#dice.next() * this.#p.takeOverMs);
    this.#engine.apply({ kind: 'takePartition', book }, at, this.#dice);
    this.#diesAt = this.#nextDeath(at);
    return at;
  }

  #flush(now: number): void {
    const { facts } = this.#engine.take(++this.#group);
    this.#engine.confirm(this.#group - 1);
    if (facts.length === 0) return;
    const { body } = encodeGroup({ partition: 0, at: now, facts });
    this.#tail.push({ epoch: this.#epoch, body });
    for (const fact of facts) this.#see(fact);
    if (this.#tail.length < GROUPS_KEPT) return;
    this.#chunks = encodeCheckpoint(this.#engine.core.books.get(0) as Book);
    this.#tail = [];
    this.#rows = new Map();
  }

  #see(fact: Fact): void {
    if (fact.kind === 'runSubmitted') this.#rows.set(fact.run.seq, fact.run);
    if (fact.kind === 'windowsSkipped') this.#skipped += fact.count ?? 1_000;
    if (fact.kind !== 'windowFired') return;
    const windows = this.#fired.get(fact.schedule);
    if (windows === undefined) this.#fired.set(fact.schedule, [fact.window]);
    else windows.push(fact.window);
    this.#lateMsMax = Math.max(this.#lateMsMax, fact.at - fact.planned);
  }

  #nextDeath(now: number): number {
    return now + Math.ceil(-Math.log(1 - this.#dice.next()) * this.#p.failoverMsMean);
  }
}
