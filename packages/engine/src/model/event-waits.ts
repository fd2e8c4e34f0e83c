import type { Task } from './run.ts';

/** Tasks that wait for an event, by tenant and type: one that nobody waits for costs one look. */
export class EventWaits {
  readonly #waits = new Map<string, Set<Task>>();

  add(task: Task, type: string): void {
    const key = keyOf(task.run.spec.tenant, type);
    const tasks = this.#waits.get(key);
    if (tasks === undefined) this.#waits.set(key, new Set([task]));
    else tasks.add(task);
  }

  delete(task: Task, type: string): void {
    const key = keyOf(task.run.spec.tenant, type);
    const tasks = this.#waits.get(key);
    if (tasks?.delete(task) && tasks.size === 0) this.#waits.delete(key);
  }

  /** Its run is another node's now, or never was. */
  forget(task: Task): void {
    const { wait } = task.spec.step;
    if (wait?.kind === 'event') this.delete(task, wait.type);
  }

  /** A copy: those that go on leave while it is gone through. */
  of(tenant: string, type: string): Task[] {
    return [...(this.#waits.get(keyOf(tenant, type)) ?? [])];
  }
}

function keyOf(tenant: string, type: string): string {
  return `${tenant}\n${type}`;
}
