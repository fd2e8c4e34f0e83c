import { type Effect, PLAIN, RunIdWriter, refOf, type ToWorker } from '@signalbox/engine';
import type { CommitLoop } from '../loop/index.ts';
import type { Supplier, Supply } from '../supply/supplier.ts';
import { assignFrame } from './assign-frame.ts';
import type { AttemptSpans } from './attempt-spans.ts';
import type { Confirmed } from './confirmed.ts';
import { FrameBatch } from './frame-batch.ts';
import type { WorkerSession } from './session.ts';
import { toFrame } from './to-frame.ts';
import { toWire } from './wire-ref.ts';

/** Turns effects into frames, and keeps in mind what each link was told. */
export class Outgoing {
  readonly #loop: CommitLoop;
  readonly #confirmed: Confirmed;
  readonly #spans: AttemptSpans | null;
  readonly #now: () => number;
  readonly #supplier: Supplier;
  readonly #ids = new RunIdWriter();

  constructor(params: {
    loop: CommitLoop;
    confirmed: Confirmed;
    spans: AttemptSpans | null;
    now: () => number;
    supplier: Supplier;
  }) {
    this.#loop = params.loop;
    this.#confirmed = params.confirmed;
    this.#spans = params.spans;
    this.#now = params.now;
    this.#supplier = params.supplier;
  }

  /** A worker without a link hears of it when it is back; that a result was taken is kept in mind. */
  unsent(effect: ToWorker): void {
    if (effect.kind === 'confirm') this.#confirmed.add(effect.worker, toWire(effect.ref));
  }

  add(batch: FrameBatch, session: WorkerSession, effect: ToWorker): void {
    switch (effect.kind) {
      case 'assign':
        return this.#assign(batch, session, effect);
      case 'confirm':
        return this.#confirm(batch, session, effect);
      case 'stale': {
        const ref = toWire(effect.ref);
        session.forget(ref);
        // The same result twice in one commit: the second finds nothing, but it was taken (h67).
        if (this.#confirmed.has(effect.worker, ref)) return batch.confirm(ref);
        session.refused(effect.worker, ref);
        return batch.push({ kind: 'stale', ref });
      }
      default:
        return batch.push(toFrame(effect, this.#now()));
    }
  }

  #confirm(batch: FrameBatch, session: WorkerSession, effect: Effect & { kind: 'confirm' }): void {
    const ref = toWire(effect.ref);
    this.#confirmed.add(effect.worker, ref);
    const attempt = session.forget(ref);
    if (attempt !== null) this.#spans?.ended(attempt, this.#now());
    batch.confirm(ref);
  }

  #assign(batch: FrameBatch, session: WorkerSession, effect: Effect & { kind: 'assign' }): void {
    const { attempt } = effect;
    if (!session.isFor(attempt)) return;
    const { task } = attempt;
    // Most tasks are given the run's input and have no parents.
    const isPlain = task.spec.step === PLAIN && task.spec.after.length === 0 && task.part === null;
    const supply = isPlain ? { input: task.run.input, parents: null } : this.#supplier.of(task);
    if ('error' in supply) return this.#cannotSend(effect, supply.error);
    if (!(supply instanceof Promise)) return this.#frame(batch, session, { effect, supply });
    supply.then(
      (given) => {
        if (!session.isFor(attempt) || this.#isStopped(effect)) return;
        const later = new FrameBatch();
        this.#frame(later, session, { effect, supply: given });
        session.send(later.frames);
      },
      // Not sent: when the worker does not accept in time, the task is queued again.
      () => session.isFor(attempt) && this.#isStopped(effect),
    );
  }

  /**
   * Stopped or superseded before it was sent. A worker does not answer an `abort` of what it never got,
   * so the answer is given here: otherwise its task and its place wait for the whole grace.
   */
  #isStopped({ worker, attempt }: Effect & { kind: 'assign' }): boolean {
    if (attempt.task.attempt === attempt && attempt.stopAt === 0) return false;
    const result = { kind: 'stopped' } as const;
    this.#loop.report({ kind: 'finish', worker, ref: refOf(attempt), result });
    return true;
  }

  #frame(
    batch: FrameBatch,
    session: WorkerSession,
    given: { effect: Effect & { kind: 'assign' }; supply: Supply },
  ): void {
    const { effect, supply } = given;
    const { attempt } = effect;
    const frame = assignFrame({
      attempt,
      loop: this.#loop,
      now: this.#now(),
      supply,
      ids: this.#ids,
    });
    if (typeof frame === 'string') return this.#cannotSend(effect, frame);
    session.given(attempt, frame.ref);
    this.#spans?.dispatched(effect, this.#now());
    batch.push(frame);
  }

  /** No worker could ever be given it: it ends with a reason, or it would be tried for ever. */
  #cannotSend({ worker, attempt }: Effect & { kind: 'assign' }, error: string): void {
    const result = { kind: 'failed', error, class: 'permanent' } as const;
    this.#loop.report({ kind: 'finish', worker, ref: refOf(attempt), result });
  }
}
