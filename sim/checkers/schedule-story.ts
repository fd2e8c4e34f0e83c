import type { ScheduleFact, ScheduleSpec, When } from '@signalbox/engine';
import { COUNTABLE_CRON } from '../world/authors.ts';

type FactOf<K extends ScheduleFact['kind']> = ScheduleFact & { kind: K };

/** Windows are counted up to here when a range is told of; beyond, the count may be left open. */
const COUNTED = 1_000;

/** An owner that can commit a window has found by then what was saved this long before. */
const ADOPTED_WITHIN_MS = 120_000;

/** When a fact became durable, and since when its owner had the partition, by the clock of the world. */
export interface Told {
  readonly t: number;
  readonly ownedSince: number;
}

/** When a version was saved: by the store's clock, and by that of the world. */
export interface SavedTime {
  readonly savedAt: number;
  readonly t: number;
}
export type SavedTimes = ReadonlyMap<number, SavedTime>;

/**
 * What the journal tells of one schedule, followed with arithmetic of its own: no window may be
 * passed over, told twice or told at a time that is none of the version that holds.
 */
export class ScheduleStory {
  readonly #name: string;
  readonly #saved: SavedTimes;
  readonly problems: string[] = [];
  /** The input that the version of its window gives to each run. */
  readonly inputs = new Map<number, string | null>();
  #spec: ScheduleSpec | null = null;
  /** Versions before it, oldest first: windows up to `upTo` are theirs, whenever they are decided. */
  #earlier: { readonly spec: ScheduleSpec; readonly upTo: number }[] = [];
  #mark = 0;
  readonly #held = new Set<number>();
  readonly #live = new Set<number>();
  readonly #fires = new Set<number>();
  version = 0;

  constructor(name: string, saved: SavedTimes) {
    this.#name = name;
    this.#saved = saved;
  }

  get isOver(): boolean {
    return this.#spec === null;
  }

  tell(fact: ScheduleFact, told: Told): void {
    switch (fact.kind) {
      case 'scheduleSet':
        return this.#set(fact);
      case 'scheduleRemoved':
        this.#closed(fact.version, null);
        this.#follows(fact.version);
        if (this.#held.size > 0) this.#say('was removed while it held windows');
        this.#held.clear();
        // One that is saved again begins anew, and does not know of runs from before.
        this.#live.clear();
        this.#earlier = [];
        this.#spec = null;
        this.version = fact.version;
        return;
      case 'windowFired':
        return this.#fired(fact, told);
      case 'windowsSkipped':
        return this.#skipped(fact);
      case 'windowHeld':
        this.#decide(fact.window, fact.window);
        this.#held.add(fact.window);
        return;
    }
  }

  /** A run of the partition ended. */
  ended(run: number): void {
    this.#live.delete(run);
  }

  #set(fact: FactOf<'scheduleSet'>): void {
    const savedAt = this.#saved.get(fact.version)?.savedAt;
    if (savedAt === undefined) return this.#say(`has version ${fact.version}, which nobody saved`);
    this.#follows(fact.version);
    const before = this.#spec;
    // One that was deleted and is saved again goes on behind the windows that were decided.
    const from = Math.max(savedAt, this.#mark);
    if (before !== null) {
      this.#closed(fact.version, fact.spec);
      this.#earlier.push({ spec: before, upTo: from });
    }
    const isOwed = before !== null && keepsPause(before, fact.spec) && this.#owes(savedAt);
    const upTo = fact.until ?? fact.decidedUpTo;
    if (upTo !== from) this.#say(`version ${fact.version} holds from ${upTo}, not from ${from}`);
    if (fact.decidedUpTo !== (isOwed ? this.#mark : from)) {
      this.#say(`version ${fact.version} moves the mark to ${fact.decidedUpTo}`);
    }
    this.#spec = fact.spec;
    this.#mark = fact.decidedUpTo;
    this.version = fact.version;
  }

  /** Every version is carried out: one that is passed over has windows that nobody tells of. */
  #follows(version: number): void {
    if (version <= this.version) this.#say(`goes back to version ${version}`);
    else if (version > this.version + 1) this.#say(`passes over version ${this.version + 1}`);
  }

  /** Whatever was due before the next version was saved has been decided under this one. */
  #closed(byVersion: number, after: ScheduleSpec | null): void {
    const spec = this.#spec;
    const savedAt = this.#saved.get(byVersion)?.savedAt;
    if (spec === null || savedAt === undefined || keepsPause(spec, after)) return;
    if (!this.#owes(savedAt)) return;
    this.#say(`window ${this.#next(this.#mark)} was lost to version ${byVersion}`);
  }

  #owes(savedAt: number): boolean {
    return this.#next(this.#mark) <= savedAt;
  }

  /** The window behind an instant, of whichever version holds there. */
  #next(at: number): number {
    let from = at;
    for (const { spec, upTo } of this.#earlier) {
      if (from >= upTo) continue;
      const window = nextOf(spec.when, from);
      if (window <= upTo) return window;
      from = upTo;
    }
    return this.#spec === null ? Number.POSITIVE_INFINITY : nextOf(this.#spec.when, from);
  }

  #versionOf(window: number): ScheduleSpec | null {
    return this.#earlier.find(({ upTo }) => window <= upTo)?.spec ?? this.#spec;
  }

  #fired(fact: FactOf<'windowFired'>, told: Told): void {
    const spec = this.#spec;
    const { window, planned, at, catchUp, exclusive, run } = fact;
    const wasHeld = this.#held.delete(window);
    if (this.#fires.has(window)) this.#say(`window ${window} fired twice`);
    this.#fires.add(window);
    if (!wasHeld) this.#decide(window, window);
    const own = this.#versionOf(window);
    if (spec === null || own === null) return;
    this.inputs.set(run, own.input);
    if (spec.paused) this.#say(`window ${window} fired while it was paused`);
    if (this.#isReplaced(window, told)) {
      this.#say(`window ${window} fired long after version ${this.version + 1} was saved`);
    }
    if (planned < window || planned - window > own.jitterMs) {
      this.#say(`window ${window} was planned for ${planned}`);
    }
    if (exclusive !== (own.overlap !== 'allow')) {
      this.#say(`window ${window} has the overlap policy of another version`);
    }
    if (!wasHeld && !catchUp && at - planned > spec.graceMs) {
      this.#say(`window ${window} was late by ${at - planned} and is not told as caught up`);
    }
    if (catchUp && spec.catchUp.windowsMax === 0) {
      this.#say(`window ${window} was caught up though nothing is`);
    }
    if (exclusive && this.#live.size > 0) {
      this.#say(`window ${window} began beside run ${[...this.#live]}`);
    }
    this.#live.add(run);
  }

  /**
   * Whether the next version should have been adopted before. A window of the time before that version
   * was saved stays due under its own: where nobody owned the partition meanwhile, the next owner
   * catches it up right before it adopts the edit.
   */
  #isReplaced(window: number, { t, ownedSince }: Told): boolean {
    const next = this.#saved.get(this.version + 1);
    if (next === undefined) return false;
    const since = window <= next.savedAt ? Math.max(next.t, ownedSince) : next.t;
    return t - since > ADOPTED_WITHIN_MS;
  }

  #skipped(fact: FactOf<'windowsSkipped'>): void {
    const { from, to, count } = fact;
    if (from === to && this.#held.delete(from)) return;
    const real = this.#count(from, to);
    this.#decide(from, to);
    if (count === null ? real <= COUNTED : count !== real) {
      this.#say(`${count} windows from ${from} to ${to} were skipped, not ${real}`);
    }
  }

  /** How many windows there are from one to another; no further than is told. */
  #count(from: number, to: number): number {
    let count = 1;
    for (let at = this.#next(from); at <= to && count <= COUNTED; at = this.#next(at)) count++;
    return count;
  }

  #decide(from: number, to: number): void {
    if (this.#spec === null) return this.#say(`window ${from} was decided though there is none`);
    const next = this.#next(this.#mark);
    if (from > next) this.#say(`windows from ${next} to ${from} are missing`);
    if (from < next) this.#say(`window ${from} is decided twice, or is none`);
    if (to > from && this.#next(to - 1) !== to) this.#say(`${to} is no window`);
    this.#mark = Math.max(this.#mark, to);
  }

  #say(problem: string): void {
    this.problems.push(`schedule ${this.#name}: ${problem}`);
  }
}

/** Whether windows of a pause are still to be caught up after an edit. */
function keepsPause(before: ScheduleSpec, after: ScheduleSpec | null): boolean {
  if (!before.paused || before.afterPause === 'next' || after === null) return false;
  return !(after.paused && after.afterPause === 'next');
}

function periodOf(when: When): { everyMs: number; anchorAt: number } {
  switch (when.kind) {
    case 'interval':
      return when;
    case 'cron':
      return { everyMs: COUNTABLE_CRON[when.expr] ?? Number.NaN, anchorAt: 0 };
    case 'instant':
      return { everyMs: Number.NaN, anchorAt: when.at };
  }
}

function nextOf(when: When, at: number): number {
  const { everyMs, anchorAt } = periodOf(when);
  return anchorAt + (Math.floor((at - anchorAt) / everyMs) + 1) * everyMs;
}
