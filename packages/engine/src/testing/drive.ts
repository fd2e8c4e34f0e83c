import type { Attempt, Run, Task } from '../model/run.ts';
import type { Harness } from './harness.ts';

/** Lets time pass until the task's next attempt runs; null where none comes. */
export function nextAttempt(h: Harness, run: Run, index = 0): Attempt | null {
  const task = run.tasks[index] as Task;
  if (task.state === 'PENDING' && task.dueAt > h.now) h.advance(task.dueAt - h.now);
  h.acceptAll();
  return task.attempt;
}

/** Lets every attempt of the run's task fail, 100 ms after it began, until no further one comes. */
export function failAlways(
  h: Harness,
  run: Run,
  how: Parameters<Harness['fail']>[1] = {},
): Attempt[] {
  const tried: Attempt[] = [];
  for (;;) {
    const attempt = nextAttempt(h, run);
    if (attempt === null) return tried;
    if (tried.length === 100) throw new Error('it is tried for ever');
    tried.push(attempt);
    h.advance(100);
    h.fail(attempt, how);
    h.flush();
  }
}

/** The value below which the given fraction of the sample lies. */
export function percentile(sample: readonly number[], fraction: number): number {
  const sorted = [...sample].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * fraction))] ?? Number.NaN;
}
