import type { RunHead } from '@signalbox/engine';
import type { StoredRun } from '@signalbox/store';
import type { Evidence } from '../evidence.ts';
import type { HistoryEvent } from '../history.ts';
import { givenBytes, opOf, runKey } from '../names.ts';
import { Calendar } from './calendar.ts';
import type { Checker } from './checker.ts';
import { type Lifetime, lifetimes, sharedUniques } from './lifetimes.ts';
import { changedRetries } from './retries.ts';

type Invoke = HistoryEvent & { kind: 'submit.invoke' };

/** An answer that names a run. */
interface Answered {
  readonly op: number;
  readonly run: StoredRun;
  readonly how: 'created' | 'duplicate' | 'alias';
  /** The job of the run, as the answer says. */
  readonly job: string;
  /**
   * When the client last began to ask, and when the answer came. Under the key of its request it may
   * have been decided by any try since the first whose outcome is unknown.
   */
  readonly askedAt: number;
  readonly t: number;
}

/**
 * C16: an acknowledged submission is a run of its own job and input, or an earlier run that it
 * really equals: by its key, by its unique value, or because its job excludes overlap. No two live
 * runs share a unique value, and a retry keeps what made its run unique.
 */
export const acknowledged: Checker = {
  name: 'C16',
  promise:
    'an acknowledged submission is its own run, or truly the one that its client was told of',
  check: (evidence) => [
    ...new Answers(evidence).problems(),
    ...sharedUniques(evidence),
    ...lostAliases(evidence),
    ...changedRetries(evidence),
  ],
};

function headOf({ run }: StoredRun): RunHead {
  return run.head === '' ? {} : (JSON.parse(run.head) as RunHead);
}

/**
 * The key that a submission is repeated by: its own, or the one that its place in a request under a key
 * gives it. A request of other inputs is the same request.
 */
function keyOf({ tenant, key, request, place }: Invoke): string | null {
  if (key !== null) return `${tenant}/${key}`;
  return request === null || place === undefined ? null : `${tenant}/${request}#${place}`;
}

class Answers {
  readonly #evidence: Evidence;
  readonly #asked = new Map<number, Invoke>();
  /** By tenant and key. */
  readonly #byKey = new Map<string, Invoke[]>();
  /** Runs that each operation was answered with, and when first. */
  readonly #told = new Map<number, Map<string, number>>();
  /** By tenant and key: runs that true answers named for it, and when the first of them did. */
  readonly #standsFor = new Map<string, Map<string, number>>();
  readonly #lives: ReadonlyMap<string, Lifetime>;
  readonly #ownRun = new Map<number, StoredRun>();
  /** By tenant and key: the run that holds it. */
  readonly #holder = new Map<string, StoredRun>();

  constructor(evidence: Evidence) {
    this.#evidence = evidence;
    this.#lives = lifetimes(evidence);
    for (const stored of evidence.runs) {
      const head = headOf(stored);
      if (head.trigger?.kind === 'retry' || head.nested !== undefined) continue;
      this.#ownRun.set(opOf(stored), stored);
      if (head.key !== undefined) this.#holder.set(`${stored.run.tenant}/${head.key}`, stored);
    }
  }

  /** Answers that come at one moment may explain each other in any order: looked at until none does. */
  problems(): string[] {
    let untrue = [...this.#answered()];
    for (;;) {
      const problems: string[] = [];
      const left = untrue.filter((answered) => {
        const problem = this.#problem(answered);
        if (problem !== null) problems.push(`operation ${answered.op} ${problem}`);
        return problem !== null;
      });
      if (left.length === untrue.length || left.length === 0) return problems;
      untrue = left;
    }
  }

  #problem(answered: Answered): string | null {
    const asked = this.#asked.get(answered.op);
    if (asked === undefined) return 'was answered and never asked for';
    const problem = this.#isOwn(asked, answered)
      ? this.#ownProblem(asked, answered)
      : this.#equalProblem(asked, answered);
    if (problem === null) this.#keep(asked, answered);
    return problem;
  }

  *#answered(): Iterable<Answered> {
    const { events, runs, aliases } = this.#evidence;
    const byName = new Map(runs.map((stored) => [runKey(stored.run.id), stored]));
    const askedAt = new Map<number, number>();
    const unknown = new Set<number>();
    for (const event of events) {
      if (event.kind === 'submit.invoke') this.#ask(event);
      if (event.kind === 'submit.invoke' || event.kind === 'submit.again') {
        if (!unknown.has(event.op)) askedAt.set(event.op, event.t);
      }
      if (event.kind === 'submit.info' && this.#asked.get(event.op)?.request) unknown.add(event.op);
      if (event.kind !== 'submit.ok' && event.kind !== 'submit.inbox') continue;
      const { op, job, t } = event;
      const id = event.kind === 'submit.ok' ? event.id : aliases.get(event.alias);
      const run = id === undefined ? undefined : byName.get(runKey(id));
      // A lost one is C1's.
      if (run === undefined) continue;
      const how =
        event.kind === 'submit.inbox' ? 'alias' : event.duplicate ? 'duplicate' : 'created';
      yield { op, run, how, job, t, askedAt: askedAt.get(op) ?? 0 };
    }
  }

  #ask(event: Invoke): void {
    this.#asked.set(event.op, event);
    const name = keyOf(event);
    if (name === null) return;
    this.#byKey.set(name, [...(this.#byKey.get(name) ?? []), event]);
  }

  #isOwn(asked: Invoke, { run }: Answered): boolean {
    return opOf(run) === asked.op && headOf(run).trigger?.kind !== 'retry';
  }

  #ownProblem(asked: Invoke, { run }: Answered): string | null {
    const { job, tenant, inputBytes, input } = run.run;
    if (tenant !== asked.tenant || job !== asked.job) return `became a run of ${tenant}/${job}`;
    const held = givenBytes(run.run);
    const isWhole = inputBytes === (input?.length ?? 0);
    if (isWhole && held === asked.inputBytes) return null;
    return `sent ${asked.inputBytes} bytes, its run has ${held}`;
  }

  /** Why a run that somebody else asked for is no answer to this. */
  #equalProblem(asked: Invoke, answered: Answered): string | null {
    const { run, how, job } = answered;
    const name = `run ${runKey(run.run.id)} of ${run.run.job}`;
    if (run.run.tenant !== asked.tenant) return `was answered with another tenant's ${name}`;
    if (how === 'created') return `was told that it made ${name}, which another one made`;
    if (job !== run.run.job) return `was answered with ${name}, as if it were of ${job}`;
    if (this.#sharesKey(asked, answered) || this.#wasTold(answered)) return null;
    const own = this.#ownRun.get(asked.op);
    if (own !== undefined) return `is run ${runKey(own.run.id)}, and was answered with ${name}`;
    const holder =
      asked.key === null ? undefined : this.#holder.get(`${asked.tenant}/${asked.key}`);
    if (holder !== undefined && this.#wasThere(holder, answered.askedAt)) {
      return `was answered with ${name}, its key belongs to run ${runKey(holder.run.id)}`;
    }
    if (run.run.job !== asked.job) return `asked for ${asked.job} and was answered with ${name}`;
    if (!this.#sharesUnique(asked, run))
      return `was answered with ${name}, which it does not equal`;
    return this.#livedThen(asked, answered) ? null : `was answered with ${name}, which was over`;
  }

  /** Sent again, it is told the same: the key of a submission that equals a run stands for that run. */
  #wasTold({ op, run, t }: Answered): boolean {
    const told = this.#told.get(op) ?? new Map<string, number>();
    const name = runKey(run.run.id);
    const first = told.get(name) ?? t;
    this.#told.set(op, told.set(name, first));
    return first < t;
  }

  /** The key of a submission that equals a run stands for that run, for every job that asks for it. */
  #keep(asked: Invoke, { run, t }: Answered): void {
    const name = keyOf(asked);
    if (name === null) return;
    const since = this.#standsFor.get(name) ?? new Map<string, number>();
    const id = runKey(run.run.id);
    since.set(id, Math.min(since.get(id) ?? t, t));
    this.#standsFor.set(name, since);
  }

  /** The same key, or the same place in a request under the same key. */
  #sharesKey(asked: Invoke, { run, t }: Answered): boolean {
    if (asked.key !== null && headOf(run).key === asked.key) return true;
    const since = this.#standsFor.get(keyOf(asked) ?? '')?.get(runKey(run.run.id));
    if (since !== undefined && since <= t) return true;
    if (this.#keyStandsFor(asked, { run, t })) return true;
    const other = this.#asked.get(opOf(run));
    return asked.request !== null && other?.request === asked.request;
  }

  /**
   * Somebody else submitted under the same key what equals the run, perhaps without an answer. Of
   * another job it may be too: an item of a batch is answered with the run that its key stands for.
   */
  #keyStandsFor(asked: Invoke, { run, t }: Pick<Answered, 'run' | 't'>): boolean {
    const name = keyOf(asked);
    if (name === null) return false;
    const before = (this.#byKey.get(name) ?? []).filter((other) => other.t <= t);
    return before.some((other) => other.job === run.run.job && this.#sharesUnique(other, run));
  }

  #sharesUnique(asked: Invoke, run: StoredRun): boolean {
    if (this.#evidence.jobs.get(asked.job)?.overlap === 'skip') return true;
    return asked.unique !== null && headOf(run).unique === asked.unique;
  }

  #wasThere(run: StoredRun, at: number): boolean {
    // Where keys are dropped with time, a later submission may take one again.
    if (this.#evidence.options.wild.keeping !== null) return false;
    return (this.#lives.get(runKey(run.run.id))?.from ?? Number.POSITIVE_INFINITY) < at;
  }

  #livedThen(asked: Invoke, { run, how, t, askedAt }: Answered): boolean {
    const life = this.#lives.get(runKey(run.run.id));
    if (life === undefined) return false;
    // An entry of the inbox is judged when it is taken in, long after its answer.
    const from = how === 'alias' ? asked.t : askedAt;
    return life.to >= from && (how === 'alias' || life.from <= t);
  }
}

function lostAliases({ events, options, aliases }: Evidence): string[] {
  const calendar = new Calendar(events);
  const ackedAt = new Map<string, number>();
  // An alias is kept for as long as a key.
  const keptMs = options.wild.keeping?.keysMs ?? Number.POSITIVE_INFINITY;
  return events.flatMap((event) => {
    if (event.kind === 'submit.inbox') ackedAt.set(event.alias, event.t);
    if (event.kind !== 'alias.read' || event.found !== null) return [];
    if (calendar.passed(ackedAt.get(event.alias) ?? 0, event.t) > keptMs / 2) return [];
    const run = aliases.get(event.alias);
    if (run !== undefined && calendar.isDropped(run, event.t)) return [];
    return [`operation ${event.op} was acknowledged as ${event.alias}, which was denied`];
  });
}
