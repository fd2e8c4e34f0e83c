import { decodeGroup, type RunId, type RunState, type TaskState } from '@signalbox/engine';
import type { TaskDefinition } from '@signalbox/protocol';
import type { Store } from '@signalbox/store';

/** A run as the journal tells it from its first group on: slow, obvious, and without the engine. */
export interface Recomputed {
  state: RunState;
  readonly tasks: Map<string, TaskState>;
}

const ENDED = new Set<TaskState>(['SUCCEEDED', 'FAILED', 'TIMED_OUT', 'CANCELLED', 'SKIPPED']);
const ENDS: Readonly<Record<string, TaskState>> = {
  taskSucceeded: 'SUCCEEDED',
  taskFailed: 'FAILED',
  taskTimedOut: 'TIMED_OUT',
  taskQuarantined: 'QUARANTINED',
  taskCancelled: 'CANCELLED',
  taskSkipped: 'SKIPPED',
};

export async function recomputeRun(params: {
  store: Store;
  id: RunId;
  tasks: readonly (TaskDefinition & { name: string })[];
}): Promise<Recomputed> {
  const { store, id, tasks: defined } = params;
  const { partition, seq } = id;
  const names = defined.map(({ name }) => name);
  const tasks = new Map<string, TaskState>(names.map((name) => [name, 'PENDING']));
  const held = new Set<string>();
  const run: Recomputed = { state: 'PENDING', tasks };
  let hasBegun = false;
  const groups = await store.readGroups({ partition, afterSeq: 0, limit: 1_000_000 });
  for (const packed of groups.flatMap(({ body }) => decodeGroup(partition, body))) {
    if (packed.kind === 'endedAt' && packed.seq === seq) run.state = packed.state;
    if (packed.kind !== 'fact' || packed.fact.seq !== seq) continue;
    const { fact } = packed;
    const name = 'task' in fact ? (names[fact.task] as string) : '';
    const end = ENDS[fact.kind];
    if (end !== undefined) tasks.set(name, end);
    else if (fact.kind === 'taskAssigned') tasks.set(name, 'ASSIGNED');
    else if (fact.kind === 'taskStarted') tasks.set(name, 'RUNNING');
    else if (fact.kind === 'taskRetryAt') tasks.set(name, 'PENDING');
    else if (fact.kind === 'runPaused') run.state = 'PAUSED';
    else if (fact.kind === 'runResumed') run.state = hasBegun ? 'RUNNING' : 'PENDING';
    else if (fact.kind === 'taskWaiting') held.add(name);
    else if (fact.kind === 'taskFannedOut') {
      held.add(name);
      for (let i = 0; i < fact.count; i++) {
        const child = `${name}_chunk_${i}`;
        names.push(child);
        tasks.set(child, 'PENDING');
      }
    }
    const begins = fact.kind === 'taskAssigned' || fact.kind === 'taskWaiting';
    hasBegun ||= begins;
    if (begins && run.state === 'PENDING') run.state = 'RUNNING';
  }
  if (run.state === 'PENDING' || run.state === 'RUNNING') queueReady({ run, defined, held });
  return run;
}

/** Nothing is written of a task that waits for nothing but a worker: all before it has ended. */
function queueReady(of: {
  run: Recomputed;
  defined: readonly (TaskDefinition & { name: string })[];
  held: ReadonlySet<string>;
}): void {
  const { tasks } = of.run;
  for (const [name, state] of tasks) {
    if (state !== 'PENDING' || of.held.has(name)) continue;
    const parents = of.defined.find((task) => task.name === name)?.after ?? [];
    if (parents.every((parent) => ENDED.has(tasks.get(parent) as TaskState))) {
      tasks.set(name, 'QUEUED');
    }
  }
}
