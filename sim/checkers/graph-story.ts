import type { JobDefinition, PackedFact, TaskDefinition } from '@signalbox/engine';

type Fact = (PackedFact & { kind: 'fact' })['fact'];

const FAILURES: ReadonlySet<string> = new Set(['taskFailed', 'taskTimedOut', 'taskQuarantined']);
const ENDS: ReadonlySet<string> = new Set([
  'taskSucceeded',
  'taskCancelled',
  'taskSkipped',
  ...FAILURES,
]);

interface Told {
  readonly definition: TaskDefinition;
  /** Indexes of parents; for a child of a fan-out those of its group. */
  readonly after: number[];
  /** The fan-out that it is a child of. */
  readonly group: number | null;
  /** The kind of the fact that ended it. */
  end: string | null;
  /** Why it failed. */
  reason: string | null;
  wakesAt: number;
  children: number | null;
}

const UNBEGUN = { end: null, reason: null, wakesAt: 0, children: null };

/** One run as the journal tells it, with the rules that it must keep. */
export class GraphStory {
  readonly #name: string;
  readonly #policy: string;
  readonly #tasks: Told[] = [];
  readonly #due = new Set<string>();
  #isPaused = false;
  /** A task was assigned, or a wait has begun: from then on it is RUNNING. */
  #hasBegun = false;

  constructor(name: string, definition: JobDefinition) {
    this.#name = name;
    this.#policy = definition.failurePolicy ?? 'FAIL_FAST';
    this.#add(definition.tasks ?? [{}]);
  }

  read(fact: Fact, problems: string[]): void {
    const wrong = (what: string): void => void problems.push(`run ${this.#name}: ${what}`);
    switch (fact.kind) {
      case 'runPaused':
        this.#isPaused = true;
        return;
      case 'runResumed':
        this.#isPaused = false;
        if ((fact.state === 'PENDING') === this.#hasBegun) {
          wrong(`it is ${fact.state ?? 'RUNNING'} after a pause, begun: ${this.#hasBegun}`);
        }
        return;
      case 'taskFannedOut':
        return this.#fannedOut(fact.task, fact.count, wrong);
      case 'tasksAdded':
        this.#add(fact.tasks);
        for (const [from, to] of fact.edges) this.#tasks[to]?.after.push(from);
        return;
      case 'taskWaiting':
        this.#hasBegun = true;
        this.#assigned(fact.task, wrong);
        (this.#tasks[fact.task] as Told).wakesAt = fact.until;
        return;
      case 'notificationDue':
        this.#due.add(fact.notification.id);
        return;
      case 'notificationDone':
        if (!this.#due.delete(fact.id)) wrong(`${fact.id} was told without being due`);
        return;
      case 'taskAssigned':
        this.#hasBegun = true;
        if (this.#isPaused) wrong(`task ${fact.task} was assigned while it was paused`);
        return this.#assigned(fact.task, wrong);
      default:
        if (ENDS.has(fact.kind) && 'task' in fact) this.#ended(fact, wrong);
    }
  }

  /** The journal is over. */
  end(problems: string[]): void {
    for (const id of this.#due) problems.push(`nobody was told ${id}`);
  }

  #add(definitions: readonly TaskDefinition[]): void {
    const names = [...this.#tasks.map(({ definition }) => definition.name)];
    const all = [...names, ...definitions.map(({ name }) => name)];
    for (const definition of definitions) {
      const after = (definition.after ?? []).map((name) => all.indexOf(name));
      this.#tasks.push({ definition, after, group: null, ...UNBEGUN });
    }
  }

  #fannedOut(index: number, count: number, wrong: (what: string) => void): void {
    const group = this.#tasks[index] as Told;
    if (group.children !== null) wrong(`task ${index} fanned out twice`);
    this.#assigned(index, wrong);
    group.children = count;
    const { after, definition } = group;
    for (let i = 0; i < count; i++) {
      this.#tasks.push({ definition, after, group: index, ...UNBEGUN });
    }
  }

  /** It begins: everything that it waits for has ended, and well enough. */
  #assigned(index: number, wrong: (what: string) => void): void {
    const task = this.#tasks[index];
    if (task === undefined) return wrong(`task ${index} does not exist`);
    for (const parent of task.after) {
      const before = this.#tasks[parent];
      const end = before?.end ?? null;
      if (before === undefined || end === null) {
        wrong(`task ${index} began before ${parent} had ended`);
      } else if (!this.#isEnough(task, before))
        wrong(`task ${index} began after ${parent}: ${end}`);
    }
  }

  /** A gate that did not open, and whatever it held up, lets nothing pass under any failure policy. */
  #isEnough({ definition }: Told, { end, reason, definition: before }: Told): boolean {
    if (end === 'taskSucceeded') return true;
    if (end === 'taskSkipped') return definition.ifParentSkipped === 'run';
    if (end === 'taskCancelled') return false;
    if (before.approval !== undefined) {
      return before.approval.onReject === 'continue' && reason !== 'invalid_condition';
    }
    if (reason === 'nested_rejected') return false;
    return this.#policy === 'SKIP_FAILED';
  }

  #ended(fact: Fact & { task: number; at: number }, wrong: (what: string) => void): void {
    const task = this.#tasks[fact.task];
    if (task === undefined) return wrong(`task ${fact.task} does not exist`);
    const isWell = fact.kind === 'taskSucceeded';
    if (isWell && task.definition.sleep !== undefined && fact.at < task.wakesAt) {
      wrong(`task ${fact.task} slept until ${task.wakesAt}, and woke at ${fact.at}`);
    }
    if (isWell && task.children !== null) {
      const open = this.#tasks.filter(({ group, end }) => group === fact.task && end === null);
      if (open.length > 0) wrong(`task ${fact.task} ended before its children`);
    }
    task.end = fact.kind;
    task.reason = 'reason' in fact ? fact.reason : null;
  }
}
