import type { Class, Fact, Reason, Run, Task, TaskOutcome } from '@signalbox/engine';
import { boundedLabel } from './bounded-label.ts';
import type { MetricSet } from './definitions.ts';
import { DispatchRate } from './dispatch-rate.ts';
import { JobLabels } from './job-labels.ts';
import { type LiveAttempt, LiveAttempts } from './live-attempts.ts';
import type { RunCounts } from './run-counts.ts';
import { TenantCounts } from './tenant-counts.ts';

/** Assignments that came back without the task having been tried. */
const NOT_TAKEN_UP = new Set(['refused', 'not_accepted', 'never_arrived']);

/** What the facts of one partition are read against. */
interface Partition {
  readonly live: LiveAttempts;
  readonly runs: ReadonlyMap<number, Run>;
}

/** An attempt that failed by itself; those that came back untried or were taken away are not told. */
export interface FailedAttempt {
  readonly task: Task;
  readonly attempt: number;
  readonly worker: string;
  readonly outcome: TaskOutcome & { readonly error: string; readonly reason: Reason };
}

type NotSucceeded = Exclude<TaskOutcome, { kind: 'taskSucceeded' }>;

const NO_RUNS: ReadonlyMap<number, Run> = new Map();
/** Schedules that skip windows; with more of them than this, the others are counted together. */
const SCHEDULES_NAMED = 200;

/** Metrics out of what became durable: each fact is counted once, on the node that wrote it. */
export class FactCounts {
  readonly rate: DispatchRate;
  readonly #set: MetricSet;
  readonly #runs: (partition: number) => ReadonlyMap<number, Run> | undefined;
  readonly #tenants: TenantCounts;
  readonly #live = new Map<number, LiveAttempts>();
  readonly #schedule = boundedLabel(SCHEDULES_NAMED);
  readonly #jobs: JobLabels;
  readonly #zoneOf: (worker: string) => string | undefined;
  readonly #onFailure: (failed: FailedAttempt) => void;

  constructor(params: {
    set: MetricSet;
    /** Live runs of a partition, by number. */
    runs: (partition: number) => ReadonlyMap<number, Run> | undefined;
    tenant: (name: string) => string;
    zone: (name: string) => string;
    now: () => number;
    /** Jobs that are counted by name; 0 for none. */
    jobs?: number;
    zoneOf?: (worker: string) => string | undefined;
    onFailure?: (failed: FailedAttempt) => void;
  }) {
    this.#set = params.set;
    this.#runs = params.runs;
    this.#tenants = new TenantCounts(params);
    this.#jobs = new JobLabels({ ...params, max: params.jobs ?? 0 });
    this.#zoneOf = params.zoneOf ?? (() => undefined);
    this.#onFailure = params.onFailure ?? (() => {});
    this.rate = new DispatchRate(params.now);
  }

  published(partition: number, facts: readonly Fact[]): void {
    const of = { live: this.#liveOf(partition), runs: this.#runs(partition) ?? NO_RUNS };
    const { dispatched } = this.#set;
    const before = dispatched.value;
    for (const fact of facts) this.#count(of, fact);
    of.live.isComplete = true;
    this.#countKinds(facts);
    if (dispatched.value > before) this.rate.add(dispatched.value - before);
  }

  /**
   * The partition has been read in: attempts that were assigned before go on here, and their ends are
   * counted here. Called before anything is decided about them.
   */
  takenOver(partition: number, runs: ReadonlyMap<number, Run>): void {
    const live = this.#readLive(runs);
    live.isComplete = true;
    this.#live.set(partition, live);
  }

  #readLive(runs: ReadonlyMap<number, Run>): LiveAttempts {
    const live = new LiveAttempts();
    for (const run of runs.values()) {
      live.runs.set(run.seq, this.#countsOf(run));
      const counts = this.#tenants.of(run.spec.tenant, run.class);
      for (const task of run.tasks) {
        const { attempt, index } = task;
        if (attempt === null) continue;
        const { number, assignedAt: at, workerName: worker } = attempt;
        live.set({
          assigned: { seq: run.seq, task: index, attempt: number, at, worker },
          task,
          counts,
        });
      }
    }
    return live;
  }

  /** Another node goes on with its attempts, and will count their ends. */
  forget(partition: number): void {
    this.#live.delete(partition);
  }

  #count(of: Partition, fact: Fact): void {
    switch (fact.kind) {
      case 'runSubmitted':
        return this.#submitted(of, fact);
      case 'taskAssigned':
        return this.#assigned(of, fact);
      case 'taskStarted': {
        const live = of.live.get(fact);
        if (live === undefined) return;
        return this.#set.dispatchDuration.observe(seconds(fact.at - live.assigned.at));
      }
      case 'runEnded':
        return this.#ended(of, fact);
      case 'runsPagedIn':
        for (const run of fact.runs) of.live.runs.set(run.seq, this.#countsOf(run));
        return;
      case 'runClassChanged':
        return this.#changeClass(of, fact);
      case 'runCancelRequested':
      case 'taskCheckpointed':
      case 'taskExtended':
      case 'scheduleSet':
      case 'scheduleRemoved':
      case 'windowHeld':
      case 'runPaused':
      case 'runResumed':
      case 'taskFannedOut':
      case 'tasksAdded':
      case 'tasksTakenOver':
      case 'taskWaiting':
      case 'nestedStarted':
      case 'eventKept':
      case 'eventTaken':
      case 'notificationDue':
      case 'notificationDone':
      case 'windowMet':
        return;
      case 'windowFired':
        this.#set.windowLateness.observe(seconds(fact.at - fact.planned));
        return;
      case 'windowsSkipped': {
        const schedule = this.#schedule(`${fact.tenant}/${fact.schedule}`);
        this.#set.windowsSkipped.of(schedule, fact.reason).add(fact.count ?? 1_000);
        return;
      }
      default:
        return this.#outcome(of, fact, of.live.get(fact));
    }
  }

  /** A run that waits in the store is counted from when it is read: it costs no memory until then. */
  #submitted(of: Partition, { run, parked }: Fact & { kind: 'runSubmitted' }): void {
    const counts = this.#countsOf(run);
    counts.class.submitted();
    if (parked === null) of.live.runs.set(run.seq, counts);
  }

  #changeClass(of: Partition, { seq, class: priority }: Fact & { kind: 'runClassChanged' }): void {
    const before = of.live.runs.get(seq);
    if (before === undefined) return;
    of.live.runs.set(seq, { ...before, class: this.#tenants.of(before.tenant, priority) });
  }

  #countsOf({ spec, class: priority }: { spec: Run['spec']; class: Class }): RunCounts {
    const { tenant, job } = spec;
    return { tenant, class: this.#tenants.of(tenant, priority), job: this.#jobs.of(tenant, job) };
  }

  #assigned(of: Partition, fact: Fact & { kind: 'taskAssigned' }): void {
    this.#set.dispatched.add();
    const run = of.runs.get(fact.seq);
    const task = run?.tasks[fact.task];
    if (run === undefined || task === undefined) return;
    const counts = this.#tenants.of(run.spec.tenant, run.class);
    of.live.set({ assigned: fact, task, counts });
    if (fact.attempt !== 1 || task.spec.after.length > 0) return;
    const readyAt = Math.max(run.ms, run.head.dueAt ?? 0);
    // The attempt may be over already, and the worker gone: then nobody knows the zone any more.
    const zone = task.attempt?.worker?.info.zone ?? this.#zoneOf(fact.worker) ?? '';
    counts.waited(seconds(fact.at - readyAt), zone);
  }

  #outcome(of: Partition, fact: TaskOutcome, live: LiveAttempt | undefined): void {
    if (live === undefined && !of.live.isComplete) return this.#unknownEnded(of, fact);
    if (live === undefined || live.assigned.attempt !== fact.attempt) return;
    of.live.delete(fact);
    live.counts.held(seconds(fact.at - live.assigned.at), live.task.shape.request);
    if (fact.kind === 'taskSucceeded') return;
    this.#failed(of, live.counts.class, fact);
    this.#tellFailure(live.task, live.assigned.worker, fact);
  }

  /** Nothing is known of its beginning: it has an end all the same, unless there was no attempt. */
  #unknownEnded(of: Partition, fact: TaskOutcome): void {
    const { kind } = fact;
    if (kind === 'taskSucceeded' || kind === 'taskCancelled' || kind === 'taskSkipped') return;
    if (fact.attempt === 0) return;
    const counts = of.live.runs.get(fact.seq);
    if (counts !== undefined) this.#failed(of, counts.class.class, fact);
    const task = of.runs.get(fact.seq)?.tasks[fact.task];
    if (task !== undefined) this.#tellFailure(task, task.lastWorker ?? '', fact);
  }

  #failed(of: Partition, priority: string, fact: NotSucceeded): void {
    const { reason } = fact;
    if (NOT_TAKEN_UP.has(reason)) return this.#set.dispatchFailures.add();
    this.#set.failures.of(priority, reason).add();
    of.live.runs.get(fact.seq)?.job?.failed(reason);
  }

  /** Only those that have an error: the others came back untried or were taken away. */
  #tellFailure(task: Task, worker: string, fact: NotSucceeded): void {
    if (!('error' in fact) || fact.attempt === 0) return;
    this.#onFailure({ task, attempt: fact.attempt, worker, outcome: fact });
  }

  #ended(of: Partition, fact: Fact & { kind: 'runEnded' }): void {
    const { last, state } = fact;
    this.#outcome(of, last, of.live.get(last));
    this.#set.processed.add();
    if (state === 'SUCCEEDED') this.#set.succeeded.add();
    else if (state !== 'CANCELLED') this.#set.failed.add();
    const lived = seconds(fact.at - fact.ms);
    const counts = of.live.runs.get(fact.seq);
    of.live.runs.delete(fact.seq);
    counts?.class.runEnded(lived, state);
    counts?.job?.runEnded(lived, state);
  }

  /** Facts of one kind come in rows: each row is counted once. */
  #countKinds(facts: readonly Fact[]): void {
    let first = 0;
    for (let i = 1; i <= facts.length; i++) {
      const { kind } = facts[first] as Fact;
      if (i < facts.length && facts[i]?.kind === kind) continue;
      this.#set.transitions.of(kind).add(i - first);
      first = i;
    }
  }

  #liveOf(partition: number): LiveAttempts {
    let live = this.#live.get(partition);
    if (live === undefined) {
      // It was taken over before anything was counted: what has ended in these facts is gone already.
      live = this.#readLive(this.#runs(partition) ?? NO_RUNS);
      this.#live.set(partition, live);
    }
    return live;
  }
}

/** Times of two facts may come from two clocks; a negative one is none. */
function seconds(ms: number): number {
  return Math.max(0, ms) / 1_000;
}
