import type { Core } from '../core/core.ts';
import { charge, occupy } from '../core/occupy.ts';
import { taskAssigned } from '../facts/facts.ts';
import type { Attempt, Task } from '../model/run.ts';
import type { Worker } from '../model/worker.ts';

/**
 * Gives the task to the worker: one attempt with a number and a fencing token of its own. The
 * worker hears of it only when the fact is durable (DUR-14); if it never answers, the deadline that
 * is armed here brings the task back (I16).
 */
export function assign(core: Core, task: Task, worker: Worker, score: number): void {
  const book = core.bookOf(task.run);
  const fact = taskAssigned({
    partition: book.partition,
    seq: task.run.seq,
    task: task.index,
    at: core.now,
    attempt: task.attempts + 1,
    worker: worker.info.name,
    token: book.nextToken,
    score: Math.round(score * 1000),
  });
  core.emit(book, fact, task.run);
  const attempt = task.attempt as Attempt;
  charge(core, attempt);
  occupy(core, attempt, worker);
  core.wheel.arm(task, core.now + core.settings.acceptMs);
  core.tell({ kind: 'assign', worker: worker.info.name, attempt });
}
