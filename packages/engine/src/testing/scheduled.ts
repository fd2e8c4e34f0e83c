import type { Answer } from '../commands.ts';
import type { Decided } from '../engine.ts';
import type { WindowFired, WindowsSkipped } from '../facts/schedule-facts.ts';
import {
  DEFAULT_SCHEDULE,
  type JobHead,
  type Schedule,
  type ScheduleSpec,
  scheduleKey,
} from '../model/schedule.ts';
import { buildSpec } from './builders.ts';
import { START_MS } from './harness.ts';
import { Recorded } from './recorded.ts';

export const MINUTE = 60_000;
export const HOUR = 3_600_000;
export const DAY = 86_400_000;

/** The first full hour of the tests' time; windows of an hourly schedule are whole hours after it. */
export const NOON = START_MS - (START_MS % HOUR) + HOUR;

export type ScheduleParams = Partial<ScheduleSpec> & { readonly name?: string };

/**
 * A recorded engine with schedules: jobs are told as soon as they are asked for, and runs can be made
 * to end at once. It begins a minute before a full hour.
 */
export class Scheduled extends Recorded {
  head: JobHead = { kind: 'ready', spec: buildSpec({ job: 'job' }) };
  /** Runs end in the step in which they are made. */
  endsRuns = true;
  readonly #versions = new Map<string, number>();

  constructor(params: ConstructorParameters<typeof Recorded>[0] = {}) {
    super(params);
    this.now = NOON - MINUTE;
  }

  /** Saves a version: a new schedule, or the next version of one that is there. */
  save(params: ScheduleParams = {}, savedAt = this.now): Answer {
    const { name = 'nightly', ...own } = params;
    const when = { kind: 'interval', everyMs: HOUR, anchorAt: NOON } as const;
    const known = this.book.schedules.get(scheduleKey('acme', name))?.spec;
    const base = known ?? { ...DEFAULT_SCHEDULE, job: 'job', when };
    return this.setSchedule(name, { ...base, ...own }, savedAt);
  }

  remove(name = 'nightly'): Answer {
    return this.setSchedule(name, null, this.now);
  }

  setSchedule(name: string, spec: ScheduleSpec | null, savedAt: number): Answer {
    const version = (this.#versions.get(name) ?? 0) + 1;
    const of = { partition: 0, tenant: 'acme', schedule: name };
    const command = { kind: 'setSchedule', ...of, version, spec, savedAt } as const;
    let answer = this.apply(command);
    if (answer.kind === 'refused' && answer.code === 'unavailable') {
      this.tellJobs();
      answer = this.apply(command);
    }
    if (answer.kind === 'done') this.#versions.set(name, version);
    return answer;
  }

  schedule(name = 'nightly'): Schedule {
    const found = this.book.schedules.get(scheduleKey('acme', name));
    if (found === undefined) throw new Error(`there is no schedule ${name}`);
    return found;
  }

  override step(): Decided {
    const decided = super.step();
    const told = this.tellJobs();
    if (this.endsRuns) this.endRuns();
    if (told === 0) return decided;
    const more = this.step();
    decided.facts.push(...more.facts);
    decided.effects.push(...more.effects);
    return decided;
  }

  /** Tells the jobs that are asked for; answers how many. */
  tellJobs(): number {
    const wanted = [...this.engine.jobsWanted()];
    for (const want of wanted) this.apply({ kind: 'setJob', ...want, head: this.head });
    return wanted.length;
  }

  /** Cancels whatever is live: the quickest end of a run. */
  endRuns(): void {
    const by = 'the test';
    for (const seq of [...this.book.runs.keys()]) {
      this.apply({ kind: 'cancel', partition: 0, seq, by, reason: 'over' });
    }
  }

  /** Lets time pass while nobody owns the partition, then takes it over. */
  away(ms: number): void {
    this.flush();
    this.now += ms;
    this.takeOver();
    this.tick();
  }

  get fired(): WindowFired[] {
    return this.factsOf('windowFired');
  }

  /** Windows that fired, counted in hours from noon. */
  get firedHours(): number[] {
    return this.fired.map(({ window }) => (window - NOON) / HOUR);
  }

  get skipped(): WindowsSkipped[] {
    return this.factsOf('windowsSkipped');
  }
}
