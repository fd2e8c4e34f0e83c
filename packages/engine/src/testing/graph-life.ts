import type { GraphPorts } from '../children/ports.ts';
import { isWaiting } from '../children/wait.ts';
import { decodeText, encodeText } from '../facts/text.ts';
import { parentsOf, taskName } from '../model/graph.ts';
import type { Attempt, Run, Task } from '../model/run.ts';
import { isTerminalTask, type TaskState } from '../model/states.ts';
import { dumpBook } from './book-dump.ts';
import type { SavedCheckpoint } from './fake-store.ts';
import { definitionOf, type Plan, type PlannedTask } from './graph-plan.ts';
import { Recorded } from './recorded.ts';

const PORTS: GraphPorts = {
  judge: (expression, { tasks }) => ({
    value: expression === 'failures' ? [...tasks.values()].some(hadFailures) : expression === 'yes',
  }),
  reads: () => ({ input: false, tasks: false }),
  readAddition: () => ({ error: 'nothing is added here' }),
};

function hadFailures({ output }: { readonly output: Uint8Array | null }): boolean {
  if (output === null) return false;
  const { failures = [] } = JSON.parse(decodeText(output)) as { failures?: readonly unknown[] };
  return failures.length > 0;
}

/** Leads the life of one planned run: in a random order, with crashes, and looks at every start. */
export class GraphLife {
  readonly h: Recorded;
  readonly plan: Plan;
  run: Run;
  /** Tasks that would have failed and have been mended since. */
  readonly mended = new Set<string>();
  readonly problems: string[] = [];
  pauses = 0;
  #checkpoint: SavedCheckpoint | null = null;

  constructor(plan: Plan, seed: number) {
    this.plan = plan;
    this.h = new Recorded({ seed, graphPorts: PORTS });
    this.h.addWorker({ total: { slots: 1 + this.h.random.int(6) } });
    const { policy, allowPartial } = plan;
    const graph = { failurePolicy: policy, ...(allowPartial === null ? {} : { allowPartial }) };
    this.run = this.h.submit({ tasks: definitionOf(plan), graph });
    this.h.flush();
  }

  /** Until the run has ended, or nothing is left that could move it. */
  lead(params: { crashes: boolean }): void {
    const { h } = this;
    for (let step = 0; step < 2_000 && this.run.openTasks > 0; step++) {
      for (const attempt of h.acceptAll()) this.#look(attempt);
      const live = h.live().filter((attempt) => attempt.task.run.seq === this.run.seq);
      const pick = live[h.random.int(Math.max(1, live.length))];
      if (pick !== undefined) this.#finish(pick);
      else if (this.run.state === 'PAUSED') this.#mendAndResume();
      else if (this.#approveMended() || this.#endNested()) h.flush();
      else h.advance(5_000);
      h.flush();
      if (params.crashes && this.run.openTasks > 0 && h.random.int(8) === 0) this.#crash();
    }
  }

  states(): Record<string, TaskState> {
    return Object.fromEntries(this.run.tasks.map((task) => [taskName(task), task.state]));
  }

  /** Order within a chain (DAG-04, DAG-28): nothing begins before all that it waits for has ended. */
  #look(attempt: Attempt): void {
    const { task } = attempt;
    for (const index of parentsOf(task)) {
      const parent = this.run.tasks[index] as Task;
      if (!isTerminalTask(parent.state)) this.problems.push(`${taskName(task)} began too early`);
    }
  }

  #finish(attempt: Attempt): void {
    const { task } = attempt;
    const planned = this.plan.tasks[task.part?.group?.index ?? task.index] as PlannedTask;
    const place = task.part?.group == null ? null : task.part.partition;
    const fails = place === null ? planned.fails : planned.failing.includes(place);
    if (fails && !this.mended.has(taskName(task))) {
      return this.h.fail(attempt, { class: 'permanent' });
    }
    this.h.succeed(attempt, encodeText(JSON.stringify({ total: planned.total })));
  }

  #mendAndResume(): void {
    this.pauses++;
    for (const task of this.run.tasks) if (task.error !== null) this.mended.add(taskName(task));
    const { partition, seq } = this.run;
    this.h.apply({ kind: 'resumeRun', partition, seq, by: 'ann', fanOutMax: 0 });
  }

  /** Whoever has said no once is asked again after a resume, and now says yes. */
  #approveMended(): boolean {
    const waiting = this.run.tasks.filter(
      (task) =>
        isWaiting(task) &&
        task.spec.step.wait?.kind === 'approval' &&
        this.mended.has(taskName(task)),
    );
    const { partition, seq } = this.run;
    for (const { index } of waiting) {
      const said = { decision: 'approve', by: 'ann', comment: '' } as const;
      this.h.apply({ kind: 'approve', partition, seq, task: index, ...said });
    }
    return waiting.length > 0;
  }

  /** Runs that tasks wait for end: as PARTIAL where an approval of theirs is not given. */
  #endNested(): boolean {
    const waiting = this.run.tasks.filter(
      (task) => isWaiting(task) && task.spec.step.wait?.kind === 'run',
    );
    for (const task of waiting) {
      const { partition, seq } = this.run;
      const { answer } = this.plan.tasks[task.index] as PlannedTask;
      const isGateClosed = answer !== 'approve' && !this.mended.has(taskName(task));
      const state = isGateClosed ? 'PARTIAL' : 'SUCCEEDED';
      const since = task.part?.waitsSince ?? 0;
      const wait = { partition, seq, task: task.index, since, run: 'r', error: '', output: null };
      this.h.apply({ kind: 'nestedEnded', ...wait, state, isGateClosed });
    }
    return waiting.length > 0;
  }

  /** Another node takes over, from the facts alone or from a checkpoint: it must find the same book. */
  #crash(): void {
    const { h } = this;
    const before = JSON.stringify(dumpBook(h.book));
    if (h.random.int(2) === 0) this.#checkpoint = h.saveCheckpoint();
    const held = h.heldBy('w1');
    h.takeOver(this.#checkpoint === null ? {} : { checkpoint: this.#checkpoint });
    const after = JSON.stringify(dumpBook(h.book));
    if (before !== after) this.problems.push(`another book:\n${before}\n${after}`);
    this.run = h.run(this.run.seq);
    const slots = 1 + h.random.int(6);
    h.addWorker({ total: { slots: Math.max(slots, held.length) }, holds: held });
    h.flush();
  }
}
