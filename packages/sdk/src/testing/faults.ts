import type { AnyHandler } from '../work.ts';

/** What is to happen to attempts of a task, in place of or beside its handler. */
export interface Behaviour {
  /** Errors for the next attempts, one each. */
  readonly failures: unknown[];
  /** Virtual time that an attempt takes. */
  takesMs: number;
  /** In place of the handler, the command or the request. */
  fake: AnyHandler | null;
}

/** By job, and by task of a job where a task is named. */
export class Faults {
  readonly #behaviours = new Map<string, Behaviour>();

  of(job: string, task?: string): Behaviour {
    const name = task === undefined ? job : `${job}:${task}`;
    let behaviour = this.#behaviours.get(name);
    behaviour ??= { failures: [], takesMs: 0, fake: null };
    this.#behaviours.set(name, behaviour);
    return behaviour;
  }

  /** The failure that the next attempt of the task is to end with, if any; it is used up. */
  takeFailure(job: string, task: string): { readonly error: unknown } | null {
    for (const { failures } of this.#all(job, task)) {
      if (failures.length > 0) return { error: failures.shift() };
    }
    return null;
  }

  takesMs(job: string, task: string): number {
    return this.#all(job, task).find(({ takesMs }) => takesMs > 0)?.takesMs ?? 0;
  }

  fake(job: string, task: string): AnyHandler | null {
    return this.#all(job, task).find(({ fake }) => fake !== null)?.fake ?? null;
  }

  /** What is said of the task itself, of the fan-out that it is a child of, of the whole job. */
  #all(job: string, task: string): Behaviour[] {
    const fanOut = task.replace(/_chunk_\d+$/, '');
    return [this.of(job, task), this.of(job, fanOut), this.of(job)];
  }
}
