import type { Task } from './run.ts';

/**
 * Tasks that wait for an event or will wait for one, by tenant and type, from the moment their run is
 * there: an event may come before the wait begins. One that nobody waits for costs one look.
 */
export class EventWaits {
  readonly #waits = new Map<string, Set<Task>>();

  /** Whatever the task is: only a wait for an event is kept. */
  add(task: Task): void {
    const key = keyOf(task);
    if (key === null) return;
    const tasks = this.#waits.get(key);
    if (tasks === undefined) this.#waits.set(key, new Set([task]));
    else tasks.add(task);
  }

  /** It has ended, or its run is another node's now, or never was. */
  delete(task: Task): void {
    const key = keyOf(task);
    if (key === null) return;
    const tasks = this.#waits.get(key);
    if (tasks?.delete(task) && tasks.size === 0) this.#waits.delete(key);
  }

  /** A copy: those that go on leave while it is gone through. */
  of(tenant: string, type: string): Task[] {
    return [...(this.#waits.get(`${tenant}\n${type}`) ?? [])];
  }
}

function keyOf(task: Task): string | null {
  const { wait } = task.spec.step;
  return wait?.kind === 'event' ? `${task.run.spec.tenant}\n${wait.type}` : null;
}
