import type { Engine } from '../engine.ts';
import { add, clampToZero, DIMENSIONS, NO_RESOURCES, subtract } from '../model/resources.ts';
import type { Attempt, Task } from '../model/run.ts';
import { isTerminalTask } from '../model/states.ts';
import { explainPlacement } from '../place/explain.ts';

/**
 * Recomputes what the engine derives and answers where the two differ; empty if all is well.
 * It reads everything, so it is for tests only.
 */
export function audit(engine: Engine): string[] {
  return [...auditWorkers(engine), ...auditTasks(engine), ...auditTenants(engine)];
}

function auditWorkers({ core }: Engine): string[] {
  const problems: string[] = [];
  for (const worker of core.workers.workers.values()) {
    const { name, total } = worker.info;
    let used = NO_RESOURCES;
    for (const [index, attempt] of worker.attempts.entries()) {
      used = add(used, attempt.shape.request);
      if (attempt.worker !== worker) problems.push(`${name} holds an attempt of another worker`);
      if (attempt.workerIndex !== index) problems.push(`${name}: an attempt is misplaced`);
      const live = attempt.task.attempt === attempt;
      if (live === worker.lingering.has(attempt)) problems.push(`${name}: live and lingering`);
    }
    for (const dimension of DIMENSIONS) {
      if (used[dimension] > total[dimension]) problems.push(`${name} is overbooked: ${dimension}`);
    }
    const free = clampToZero(subtract(subtract(total, worker.foreignUse), used));
    const same = DIMENSIONS.every((d) => worker.free[d] === free[d]);
    if (worker.status === 'healthy' && !same) problems.push(`${name}: wrong about what is free`);
    for (const attempt of worker.lingering.keys()) {
      if (!worker.attempts.includes(attempt)) problems.push(`${name}: lingers but is not there`);
    }
  }
  return problems;
}

function auditTasks({ core }: Engine): string[] {
  const problems: string[] = [];
  for (const task of tasksOf(core.books.values())) {
    const where = `task ${task.run.partition}/${task.run.seq}/${task.index} (${task.state})`;
    const queued = task.lane !== null || core.stalled.has(task);
    if (queued !== (task.state === 'QUEUED')) problems.push(`${where} is not where it waits`);
    const held = task.state === 'ASSIGNED' || task.state === 'RUNNING';
    if (held !== (task.attempt !== null)) problems.push(`${where} has no attempt, or one too many`);
    if (isTerminalTask(task.state) && task.timerBucket !== null) problems.push(`${where} is timed`);
    if (task.attempt !== null) problems.push(...auditAttempt(task.attempt, where));
    const waits = task.state === 'PENDING' && task.waitsFor === 0;
    if (waits && task.timerBucket === null) problems.push(`${where} waits for nothing`);
  }
  return problems;
}

/** Whatever is live is on a worker that is watched, or has a deadline of its own (I16). */
function auditAttempt(attempt: Attempt, where: string): string[] {
  if (attempt.worker === null) {
    return attempt.task.timerBucket === null ? [`${where} is orphaned without a deadline`] : [];
  }
  const problems: string[] = [];
  if (!attempt.worker.attempts.includes(attempt)) problems.push(`${where}: not on its worker`);
  if (attempt.worker.timerBucket === null) problems.push(`${where}: its worker is not watched`);
  return problems;
}

function auditTenants({ core }: Engine): string[] {
  const problems: string[] = [];
  const counts = new Map<object, { queued: number; running: number }>();
  const of = (owner: object) => {
    const count = counts.get(owner) ?? { queued: 0, running: 0 };
    counts.set(owner, count);
    return count;
  };
  for (const task of tasksOf(core.books.values())) {
    const { tenant } = task.run.spec;
    const queued = task.lane !== null || core.stalled.has(task);
    if (queued) of(core.ofTenant(tenant, task.run.class)).queued++;
    if (task.attempt !== null) of(core.ofTenant(tenant, task.attempt.class)).running++;
  }
  for (const owner of core.tenantClasses()) {
    const { queued, running } = of(owner);
    const who = `${owner.tenant} P${owner.class}`;
    if (owner.queued !== queued) problems.push(`${who}: ${owner.queued} queued, really ${queued}`);
    if (owner.running !== running)
      problems.push(`${who}: ${owner.running} running, really ${running}`);
    if (owner.held && owner.running < owner.runningMax) problems.push(`${who} is held for nothing`);
    if (!Number.isFinite(owner.fairKey)) problems.push(`${who}: its use is ${owner.fairKey}`);
  }
  return problems;
}

/**
 * Ready tasks that some worker could take now, although the engine just handed out all it could: a
 * wake-up was lost. Asked right after a step, and of nobody who is at a limit.
 */
export function findForgotten({ core }: Engine): string[] {
  const forgotten: string[] = [];
  for (const task of tasksOf(core.books.values())) {
    if (task.state !== 'QUEUED') continue;
    if (core.ofTenant(task.run.spec.tenant, task.run.class).held) continue;
    if (explainPlacement(core.workers, task).size > 0) continue;
    forgotten.push(`task ${task.run.partition}/${task.run.seq}/${task.index} fits and waits`);
  }
  return forgotten;
}

function* tasksOf(books: Iterable<{ runs: Map<number, { tasks: Task[] }> }>): Iterable<Task> {
  for (const book of books) for (const run of book.runs.values()) yield* run.tasks;
}
