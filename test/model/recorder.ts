import type { Reply } from './client.ts';
import type { Draft } from './drawing.ts';
import type { DumpedRun } from './dump.ts';
import type { History, Shown, Submitted } from './history.ts';

export interface SubmitAnswer {
  readonly id: string;
  readonly job: string;
  readonly created: boolean;
  readonly pending?: true;
}

interface ShownRun {
  readonly id: string;
  readonly state: string;
  readonly endedAt?: string | null;
  readonly tasks?: DumpedRun['tasks'];
}

/** Writes down what came back to a client. */
export class Recorder {
  readonly #history: History;
  /** Runs that the client may look at again, change or try again. */
  readonly known: { readonly tenant: string; readonly id: string }[] = [];

  constructor(history: History) {
    this.#history = history;
  }

  submitted(draft: Draft, invokedAt: number, { status, body: answered }: Reply): void {
    const body = (answered ?? {}) as Partial<SubmitAnswer> & { error?: { code?: string } };
    let answer: Submitted['answer'] = { kind: 'unknown' };
    if (status < 300 && body.id !== undefined) {
      const { id, job = '', created = false, pending = false } = body;
      answer = { kind: 'acknowledged', id, job, created, pending };
      this.#expectStatus(draft, status, answer);
      this.known.push({ tenant: draft.tenant, id: body.id });
    } else if (status >= 400 && status < 500) {
      answer = { kind: 'refused', status, code: body.error?.code ?? '' };
    }
    this.#history.submissions.push({ ...draft, invokedAt, answeredAt: Date.now(), answer });
  }

  shown(runs: readonly unknown[], asked: Pick<Shown, 'tenant' | 'node' | 'invokedAt'>): void {
    const answeredAt = Date.now();
    for (const { id, state, endedAt = null, tasks = [] } of runs as ShownRun[]) {
      const seen = tasks.map(({ state: taskState, attempts }) => {
        const ended = attempts.filter((attempt) => attempt.endedAt !== null).length;
        return { state: taskState, ended, live: ended < attempts.length ? 1 : 0 } as const;
      });
      this.#history.shown.push({ ...asked, id, state, endedAt, tasks: seen, answeredAt });
    }
  }

  /** No client may get such an answer. */
  notice(what: string, { status, body }: Reply): void {
    if (status < 500 || status === 503) return;
    this.#history.broken.push(`${what}: ${status} ${JSON.stringify(body)}`);
  }

  /** A batch has one status for all of its items. */
  #expectStatus(
    { isOfBatch }: Draft,
    status: number,
    { created, pending }: { created: boolean; pending: boolean },
  ): void {
    const expected = pending ? 202 : created ? 201 : 200;
    if (isOfBatch || status === expected) return;
    const flags = JSON.stringify({ created, pending });
    this.#history.broken.push(`POST /runs: ${status} with ${flags}`);
  }
}
