import { type Class, isGraphFact, type PackedFact } from '@signalbox/engine';
import type { Evidence, JournalGroup } from '../evidence.ts';
import type { Checker } from './checker.ts';

/** One scheduling round. */
const ROUND_MS = 1_000;

interface WaitingTask {
  readonly run: WaitingRun;
  /** Parents that have not succeeded. */
  waitsFor: number;
  dueAt: number;
  /** Since when it could have run; null while it could not. */
  readyAt: number | null;
  ended: boolean;
}

interface WaitingRun {
  readonly name: string;
  class: Class;
  /** It would have fitted wherever anything fits, so being passed over has no excuse. */
  readonly isPlain: boolean;
  readonly tasks: WaitingTask[];
  readonly children: readonly (readonly number[])[];
}

/**
 * C9: no task is dispatched while a more urgent one of its partition has been ready for more than a
 * round and would have fitted on the same worker. Exact for tasks without demands of tenants
 * without limits; of those it needs to know nothing but the journal.
 */
export const priority: Checker = {
  name: 'C9',
  promise: 'no priority inversion beyond one round within a partition',
  check: (evidence) => {
    const rows = new Map(
      evidence.runs.map((stored) => {
        const { partition, seq } = stored.run.id;
        return [`${partition}.${seq}`, stored.run];
      }),
    );
    const repelled = new Set(
      [...evidence.jobs.values()].flatMap(({ tasks }) => {
        return (tasks ?? []).flatMap((task) => task.apart ?? []);
      }),
    );
    const problems: string[] = [];
    const standstills = new Standstills(evidence);
    let queue: PartitionQueue | null = null;
    for (const group of evidence.journal) {
      if (queue?.partition !== group.partition) {
        queue = new PartitionQueue(group.partition, evidence, { rows, repelled, standstills });
      }
      queue.read(group, problems);
    }
    return problems;
  },
};

type Row = Evidence['runs'][number]['run'];

interface Known {
  readonly rows: ReadonlyMap<string, Row>;
  readonly repelled: ReadonlySet<string>;
  readonly standstills: Standstills;
}

/** When owners of partitions went on after they had stood still: a round begins with that. */
class Standstills {
  readonly #owners = new Map<string, string>();
  readonly #ends = new Map<string, number[]>();

  constructor({ events }: Evidence) {
    for (const event of events) {
      if (event.kind === 'grant') {
        // A process is named after its node, and how often that was started.
        const node = event.owner.split('.')[0] as string;
        this.#owners.set(`${event.partition}/${event.epoch}`, node);
      }
      if (event.kind !== 'fault' || event.on) continue;
      const node = /^(\S+) stands still$/.exec(event.what)?.[1];
      if (node !== undefined) this.#ends.set(node, [...(this.#ends.get(node) ?? []), event.t]);
    }
  }

  /** Whether the owner has gone on between the two moments. */
  endedBetween({ partition, epoch }: JournalGroup, from: number, to: number): boolean {
    const node = this.#owners.get(`${partition}/${epoch}`) ?? '';
    return this.#ends.get(node)?.some((t) => t > from && t <= to) ?? false;
  }
}

class PartitionQueue {
  readonly partition: number;
  readonly #evidence: Evidence;
  readonly #known: Known;
  readonly #runs = new Map<number, WaitingRun>();
  readonly #ready = new Set<WaitingTask>();
  /** Became ready at a time that no fact tells: counted from the next dispatch on. */
  readonly #fresh = new Set<WaitingTask>();
  #epoch = 0;
  #readUpTo = 0;

  constructor(partition: number, evidence: Evidence, known: Known) {
    this.partition = partition;
    this.#evidence = evidence;
    this.#known = known;
  }

  read(group: JournalGroup, problems: string[]): void {
    // Another owner has another clock and reads everything in. One that stood still sees only now what
    // became due meanwhile, behind the reports that waited for it.
    const { standstills } = this.#known;
    const isOther = group.epoch !== this.#epoch;
    if (isOther || standstills.endedBetween(group, this.#readUpTo, group.t)) {
      for (const task of this.#ready) this.#fresh.add(task);
    }
    this.#epoch = group.epoch;
    this.#readUpTo = group.t;
    for (const packed of group.facts) this.#fact(packed, problems);
  }

  #fact(packed: PackedFact, problems: string[]): void {
    switch (packed.kind) {
      case 'submittedAt':
        if (packed.lane === null) this.#arrive(packed.run.seq, packed.run.ms);
        return;
      case 'pagedInAt':
        for (const { seq } of packed.runs) this.#arrive(seq, null);
        return;
      case 'endedAt':
        for (const task of this.#runs.get(packed.seq)?.tasks ?? []) this.#leave(task);
        this.#runs.delete(packed.seq);
        return;
      case 'scheduleFact':
        return;
      case 'fact':
        return this.#taskFact(packed.fact, problems);
    }
  }

  #taskFact(fact: (PackedFact & { kind: 'fact' })['fact'], problems: string[]): void {
    const run = this.#runs.get(fact.seq);
    if (run === undefined) return;
    if (fact.kind === 'runClassChanged') {
      run.class = fact.class;
      // It queues anew in its new class.
      for (const task of run.tasks)
        if (task.readyAt !== null) task.readyAt = Math.max(fact.at, task.dueAt);
      return;
    }
    if (fact.kind === 'runCancelRequested' || isGraphFact(fact)) return;
    const task = run.tasks[fact.task] as WaitingTask;
    switch (fact.kind) {
      case 'taskAssigned':
        this.#leave(task);
        return this.#dispatched(run, fact.at, problems);
      case 'taskRequeued':
        return this.#makeReady(task, fact.at);
      case 'taskRetryAt':
        task.dueAt = fact.dueAt;
        return this.#makeReady(task, fact.at);
      case 'taskStarted':
      case 'taskCheckpointed':
      case 'taskExtended':
        return;
      case 'taskSucceeded':
        task.ended = true;
        for (const index of run.children[fact.task] ?? []) {
          const child = run.tasks[index] as WaitingTask;
          if (--child.waitsFor === 0) this.#makeReady(child, fact.at);
        }
        return;
      default:
        task.ended = true;
        this.#leave(task);
    }
  }

  #dispatched(run: WaitingRun, at: number, problems: string[]): void {
    for (const task of this.#fresh)
      if (task.readyAt !== null) task.readyAt = Math.max(at, task.dueAt);
    this.#fresh.clear();
    if (run.class === 0) return;
    for (const task of this.#ready) {
      if (task.run.class >= run.class || (task.readyAt as number) > at - ROUND_MS) continue;
      problems.push(
        `P${run.class} ${run.name} was dispatched while P${task.run.class} ${task.run.name} had waited ${at - (task.readyAt as number)} ms`,
      );
      return;
    }
  }

  #arrive(seq: number, at: number | null): void {
    const name = `${this.partition}.${seq}`;
    const row = this.#known.rows.get(name);
    // What a retry goes on with succeeded in another run.
    if (row === undefined || row.head.includes('"retryOf"')) return;
    const definition = this.#evidence.jobs.get(row.job);
    // When a task of such a graph is ready depends on more than the success of its parents.
    if (definition?.failurePolicy !== undefined) return;
    const tasks = definition?.tasks ?? [{}];
    const indexOf = new Map(tasks.map((task, i) => [task.name, i]));
    const parents = tasks.map((task) =>
      (task.after ?? []).map((each) => indexOf.get(each) as number),
    );
    const dueAt = row.head.includes('dueAt') ? (JSON.parse(row.head).dueAt ?? 0) : 0;
    const run: WaitingRun = {
      name,
      class: row.class,
      isPlain: this.#isPlain(row),
      tasks: [],
      children: tasks.map((_, i) => parents.flatMap((list, k) => (list.includes(i) ? [k] : []))),
    };
    this.#runs.set(seq, run);
    for (const list of parents) {
      const task = { run, waitsFor: list.length, dueAt, readyAt: null, ended: false };
      run.tasks.push(task);
      if (task.waitsFor > 0) continue;
      this.#makeReady(task, at ?? 0);
      if (at === null) this.#fresh.add(task);
    }
  }

  #isPlain(row: Row): boolean {
    if (this.#known.repelled.has(row.job)) return false;
    if ((this.#evidence.limits.get(row.tenant) ?? 0) < Number.POSITIVE_INFINITY) return false;
    const tasks = this.#evidence.jobs.get(row.job)?.tasks ?? [];
    return tasks.every(({ request, labels, zone, apart, executor }) => {
      return (
        request === undefined &&
        labels === undefined &&
        zone === undefined &&
        apart === undefined &&
        executor === undefined
      );
    });
  }

  #makeReady(task: WaitingTask, at: number): void {
    if (task.ended) return;
    task.readyAt = Math.max(at, task.dueAt);
    if (task.run.isPlain) this.#ready.add(task);
  }

  #leave(task: WaitingTask): void {
    task.readyAt = null;
    this.#ready.delete(task);
    this.#fresh.delete(task);
  }
}
