import type { Class, Fact, Run, TaskOutcome } from '@signalbox/engine';
import { boundedLabel } from './bounded-label.ts';
import type { MetricSet } from './definitions.ts';
import { DispatchRate } from './dispatch-rate.ts';

interface LiveAttempt {
  readonly number: number;
  readonly tenant: string;
  readonly class: Class;
  readonly assignedAt: number;
  readonly cpus: number;
  readonly memoryMb: number;
}

/** Assignments that came back without the task having been tried. */
const NOT_TAKEN_UP = new Set(['refused', 'not_accepted', 'never_arrived']);

/** Schedules that skip windows; with more of them than this, the others are counted together. */
const SCHEDULES_NAMED = 200;

/** Metrics out of what became durable: each fact is counted once, on the node that wrote it. */
export class FactCounts {
  readonly rate: DispatchRate;
  readonly #set: MetricSet;
  readonly #run: (partition: number, seq: number) => Run | null;
  readonly #tenant: (name: string) => string;
  readonly #zone: (name: string) => string;
  readonly #schedule = boundedLabel(SCHEDULES_NAMED);
  /** By partition, then by (run, task): what is needed when the attempt ends and the run is gone. */
  readonly #live = new Map<number, Map<string, LiveAttempt>>();

  constructor(params: {
    set: MetricSet;
    run: (partition: number, seq: number) => Run | null;
    tenant: (name: string) => string;
    zone: (name: string) => string;
    now: () => number;
  }) {
    this.#set = params.set;
    this.#run = params.run;
    this.#tenant = params.tenant;
    this.#zone = params.zone;
    this.rate = new DispatchRate(params.now);
  }

  published(partition: number, facts: readonly Fact[]): void {
    const kinds = new Map<string, number>();
    for (const fact of facts) {
      kinds.set(fact.kind, (kinds.get(fact.kind) ?? 0) + 1);
      this.#count(partition, fact);
    }
    for (const [kind, count] of kinds) this.#set.transitions.inc({ kind }, count);
  }

  /** Another node goes on with its attempts, and will count their ends. */
  forget(partition: number): void {
    this.#live.delete(partition);
  }

  #count(partition: number, fact: Fact): void {
    switch (fact.kind) {
      case 'runSubmitted': {
        const { spec, class: klass } = fact.run;
        this.#set.submitted.inc({ class: `P${klass}`, tenant: this.#tenant(spec.tenant) });
        return;
      }
      case 'taskAssigned':
        return this.#assigned(partition, fact);
      case 'taskStarted': {
        const live = this.#attempts(partition).get(keyOf(fact));
        if (live === undefined) return;
        this.#set.dispatchDuration.observe(seconds(fact.at - live.assignedAt));
        return;
      }
      case 'runEnded':
        return this.#ended(partition, fact);
      case 'runsPagedIn':
      case 'runCancelRequested':
      case 'runClassChanged':
      case 'taskCheckpointed':
      case 'taskExtended':
      case 'scheduleSet':
      case 'scheduleRemoved':
      case 'windowHeld':
        return;
      case 'windowFired':
        this.#set.windowLateness.observe(seconds(fact.at - fact.planned));
        return;
      case 'windowsSkipped': {
        const schedule = this.#schedule(`${fact.tenant}/${fact.schedule}`);
        this.#set.windowsSkipped.inc({ schedule, reason: fact.reason }, fact.count ?? 1_000);
        return;
      }
      default:
        this.#outcome(partition, fact);
    }
  }

  #assigned(partition: number, fact: Fact & { kind: 'taskAssigned' }): void {
    this.#set.dispatched.inc();
    this.rate.add();
    const run = this.#run(partition, fact.seq);
    const task = run?.tasks[fact.task];
    if (run === null || task === undefined) return;
    const tenant = this.#tenant(run.spec.tenant);
    const { request } = task.shape;
    this.#attempts(partition).set(keyOf(fact), {
      number: fact.attempt,
      tenant,
      class: run.class,
      assignedAt: fact.at,
      cpus: request.cpuMilli / 1_000,
      memoryMb: request.memoryMb,
    });
    if (fact.attempt !== 1 || task.spec.after.length > 0) return;
    const zone = this.#zone(task.attempt?.worker?.info.zone ?? '');
    const readyAt = Math.max(run.ms, run.head.dueAt ?? 0);
    this.#set.delay.observe({ class: `P${run.class}`, tenant, zone }, seconds(fact.at - readyAt));
  }

  #outcome(partition: number, fact: TaskOutcome): void {
    const attempts = this.#attempts(partition);
    const live = attempts.get(keyOf(fact));
    if (live === undefined || live.number !== fact.attempt) return;
    attempts.delete(keyOf(fact));
    const held = seconds(fact.at - live.assignedAt);
    const klass = `P${live.class}`;
    this.#set.processing.observe({ class: klass }, held);
    this.#set.costCpu.inc({ tenant: live.tenant }, live.cpus * held);
    this.#set.costMemory.inc({ tenant: live.tenant }, live.memoryMb * held);
    if (fact.kind === 'taskSucceeded') return;
    if (NOT_TAKEN_UP.has(fact.reason)) this.#set.dispatchFailures.inc();
    else this.#set.failures.inc({ class: klass, reason: fact.reason });
  }

  #ended(partition: number, fact: Fact & { kind: 'runEnded' }): void {
    const live = this.#attempts(partition).get(keyOf(fact.last));
    const klass = live === undefined ? 'unknown' : `P${live.class}`;
    this.#outcome(partition, fact.last);
    this.#set.processed.inc();
    if (fact.state === 'SUCCEEDED') this.#set.succeeded.inc();
    else if (fact.state !== 'CANCELLED') this.#set.failed.inc();
    const labels = { class: klass, state: fact.state };
    this.#set.runDuration.observe(labels, seconds(fact.at - fact.ms));
  }

  #attempts(partition: number): Map<string, LiveAttempt> {
    let attempts = this.#live.get(partition);
    if (attempts === undefined) {
      attempts = new Map();
      this.#live.set(partition, attempts);
    }
    return attempts;
  }
}

function keyOf(fact: { readonly seq: number; readonly task: number }): string {
  return `${fact.seq}:${fact.task}`;
}

/** Times of two facts may come from two clocks; a negative one is none. */
function seconds(ms: number): number {
  return Math.max(0, ms) / 1_000;
}
