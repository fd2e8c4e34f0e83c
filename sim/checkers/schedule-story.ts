import type { ScheduleFact, ScheduleSpec, When } from '@signalbox/engine';
import { COUNTABLE_CRON } from '../world/authors.ts';

type FactOf<K extends ScheduleFact['kind']> = ScheduleFact & { kind: K };

/** Windows are counted up to here when a range is told of; beyond, the count may be left open. */
const COUNTED = 1_000;

/** When each version was saved, by version. */
export type SavedTimes = ReadonlyMap<number, number>;

/**
 * What the journal tells of one schedule, followed with arithmetic of its own: no window may be
 * passed over, told twice or told at a time that is none of the version that holds.
 */
export class ScheduleStory {
  readonly #name: string;
  readonly #saved: SavedTimes;
  readonly problems: string[] = [];
  #spec: ScheduleSpec | null = null;
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

  tell(fact: ScheduleFact): void {
    switch (fact.kind) {
      case 'scheduleSet':
        return this.#set(fact);
      case 'scheduleRemoved':
        this.#closed(fact.version);
        if (this.#held.size > 0) this.#say('was removed while it held windows');
        this.#held.clear();
        // One that is saved again begins anew, and does not know of runs from before.
        this.#live.clear();
        this.#spec = null;
        this.version = fact.version;
        return;
      case 'windowFired':
        return this.#fired(fact);
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
    const savedAt = this.#saved.get(fact.version);
    if (savedAt === undefined) return this.#say(`has version ${fact.version}, which nobody saved`);
    if (fact.version <= this.version) this.#say(`goes back to version ${fact.version}`);
    const before = this.#spec;
    // One that was deleted and is saved again goes on behind the windows that were decided.
    let from = Math.max(savedAt, this.#mark);
    if (before !== null) {
      this.#closed(fact.version);
      const catchesUp = before.paused && before.afterPause === 'catchUp';
      from = catchesUp ? this.#mark : Math.max(savedAt, this.#mark);
    }
    if (fact.decidedUpTo !== from) {
      this.#say(`version ${fact.version} holds from ${fact.decidedUpTo}, not from ${from}`);
    }
    this.#spec = fact.spec;
    this.#mark = fact.decidedUpTo;
    this.version = fact.version;
  }

  /** Whatever was due before the next version was saved has been decided under this one. */
  #closed(byVersion: number): void {
    const spec = this.#spec;
    const savedAt = this.#saved.get(byVersion);
    if (spec === null || savedAt === undefined) return;
    if (spec.paused && spec.afterPause === 'catchUp') return;
    const next = nextOf(spec.when, this.#mark);
    if (next <= savedAt) this.#say(`window ${next} was lost to version ${byVersion}`);
  }

  #fired(fact: FactOf<'windowFired'>): void {
    const spec = this.#spec;
    const { window, planned, at, catchUp, exclusive, run } = fact;
    const wasHeld = this.#held.delete(window);
    if (this.#fires.has(window)) this.#say(`window ${window} fired twice`);
    this.#fires.add(window);
    if (!wasHeld) this.#decide(window, window);
    if (spec === null) return;
    if (planned < window || planned - window > spec.jitterMs) {
      this.#say(`window ${window} was planned for ${planned}`);
    }
    if (!wasHeld && !catchUp && at - planned > spec.graceMs) {
      this.#say(`window ${window} was late by ${at - planned} and is not told as caught up`);
    }
    if (catchUp && spec.catchUp.windowsMax === 0) {
      this.#say(`window ${window} was caught up though nothing is`);
    }
    if (!exclusive) return;
    if (this.#live.size > 0) this.#say(`window ${window} began beside run ${[...this.#live]}`);
    this.#live.add(run);
  }

  #skipped(fact: FactOf<'windowsSkipped'>): void {
    const { from, to, count } = fact;
    if (from === to && this.#held.delete(from)) return;
    const everyMs = this.#spec === null ? 1 : periodOf(this.#spec.when).everyMs;
    const real = (to - from) / everyMs + 1;
    this.#decide(from, to);
    if (count === null ? real <= COUNTED : count !== real) {
      this.#say(`${count} windows from ${from} to ${to} were skipped, not ${real}`);
    }
  }

  #decide(from: number, to: number): void {
    if (this.#spec === null) return this.#say(`window ${from} was decided though there is none`);
    const next = nextOf(this.#spec.when, this.#mark);
    if (from > next) this.#say(`windows from ${next} to ${from} are missing`);
    if (from < next) this.#say(`window ${from} is decided twice, or is none`);
    if (to > from && nextOf(this.#spec.when, to - 1) !== to) this.#say(`${to} is no window`);
    this.#mark = Math.max(this.#mark, to);
  }

  #say(problem: string): void {
    this.problems.push(`schedule ${this.#name}: ${problem}`);
  }
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
