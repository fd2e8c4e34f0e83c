import type { FromNode, Ref, Unreadable } from '@signalbox/protocol/link';
import { Assignment } from './attempt/assignment.ts';
import { Attempts } from './attempt/attempts.ts';
import { failedEvent, idsOf } from './attempt/failed-event.ts';
import { type AttemptOwner, type Finish, HeldAttempt } from './attempt/held-attempt.ts';
import { Intake } from './attempt/intake.ts';
import { type RunOwner, runAttempt } from './attempt/run-attempt.ts';
import { saveCheckpoint } from './attempt/save-checkpoint.ts';
import { unreadableFinish } from './attempt/unreadable.ts';
import type { Assign, Executor } from './executor.ts';
import type { Link } from './link/link.ts';
import { ProgressBeat } from './report/progress-beat.ts';
import { Resend } from './report/resend.ts';
import type { RefuseWhy, WorkerEvent, WorkerOptions } from './worker-options.ts';

/** All held attempts are listed in one frame, whose size is limited. */
const HELD_MAX = 10_000;
/** Time for a superseded attempt to clean up; its successor may be running already. */
const STALE_GRACE_MS = 1_000;
const ENDING = { succeeded: 'completing', failed: 'failing', stopped: 'stopping' } as const;

export interface AttemptRunnerParams {
  readonly options: WorkerOptions;
  readonly executors: ReadonlyMap<string, Executor>;
  readonly links: readonly Link[];
  readonly isDraining: () => boolean;
  /** Called when an attempt has started or ended, or its result is confirmed. */
  readonly changed: () => void;
  /** Null without a listener: then the events of attempts, several per task, are not created. */
  readonly emit: ((event: WorkerEvent) => void) | null;
}

/**
 * Accepts or refuses assignments, runs them, and reports every result until a node confirms it. Called by
 * `Worker` with the frames of its links. A frame is handled within one turn. Nothing here throws: an error
 * of an executor is the failure of its attempt.
 */
export class AttemptRunner {
  readonly attempts: Attempts;
  readonly #params: AttemptRunnerParams;
  readonly #links: readonly Link[];
  readonly #emit: AttemptRunnerParams['emit'];
  readonly #progress: ProgressBeat;
  readonly #resend: Resend;
  readonly #intake = new Intake();

  constructor(params: AttemptRunnerParams) {
    this.attempts = new Attempts(params.options.total ?? {});
    this.#params = params;
    this.#links = params.links;
    this.#emit = params.emit;
    this.#progress = new ProgressBeat((link) => this.attempts.foreignUse(link));
    this.#resend = new Resend(this.attempts, (held) => this.#sendFinish(held, this.#links));
  }

  get tracking(): { held: number; running: number; occupying: number; progress: number } {
    const { size, running, occupying } = this.attempts;
    return { held: size, running, occupying, progress: this.#progress.size };
  }

  stop(): void {
    this.#resend.stop();
    this.#progress.stop();
  }

  disconnected(link: Link): void {
    for (const held of this.attempts.all()) if (held.link === link) held.refuseExtends();
  }

  received(link: Link, frames: readonly (FromNode | Unreadable)[]): void {
    this.#intake.begin();
    for (const frame of frames) this.#handle(link, frame);
    this.#intake.end(link, (held) => this.#run(held));
  }

  #handle(link: Link, frame: FromNode | Unreadable): void {
    switch (frame.kind) {
      case 'assign':
        return this.#assigned(link, frame);
      case 'confirm':
        return this.#confirmed(frame.refs);
      case 'probe':
        for (const ref of frame.adopted ?? []) this.#adopted(link, this.attempts.get(ref));
        link.send({ kind: 'beat', foreignUse: this.attempts.foreignUse(link), progress: [] });
        return;
      case 'drain':
        return this.#emit?.({ kind: 'drainAsked', link: this.#links.indexOf(link) });
      case 'abort':
      case 'stale':
      case 'extended':
        return this.#instructed(link, frame);
      case 'unreadable':
        return this.#failUnreadable(link, frame);
      case 'welcome':
      case 'restate':
      case 'drained':
        return;
    }
  }

  #instructed(link: Link, frame: FromNode & { kind: 'abort' | 'stale' | 'extended' }): void {
    const held = this.attempts.get(frame.ref);
    if (held === undefined) return;
    this.#ownedBy(link, held);
    if (frame.kind === 'abort') {
      if (held.finish !== null) return;
      const { why, graceMs } = frame;
      // A drained attempt has half of the grace period to end undisturbed, the other half to save and stop.
      const signalMs = why === 'drained' ? graceMs / 2 : 0;
      held.stop({ why, signalMs, graceMs: graceMs - signalMs });
    } else if (frame.kind === 'extended') held.extended(frame.granted, frame.timeoutMs);
    else {
      this.#forget(held);
      if (!held.occupies) return;
      held.stop({ why: 'stale', signalMs: 0, graceMs: STALE_GRACE_MS });
      this.#useChanged(held);
    }
  }

  /** Sends the progress again: a node that has none would never find the attempt stuck. */
  #adopted(link: Link, held: HeldAttempt | undefined): void {
    if (held === undefined) return;
    this.#ownedBy(link, held);
    if (held.progressValue !== null && !held.isOver) this.#progress.add(held);
  }

  /** The node behind this link owns the attempt, and counts it itself from now on. */
  #ownedBy(link: Link, held: HeldAttempt): void {
    if (held.link === link) return;
    // The previous owner does not respond to pending requests for more time.
    held.refuseExtends();
    held.link = link;
    for (const each of this.#links) this.#progress.foreignUseChanged(each);
  }

  /** The node would send the same frame again, so the attempt fails with the reason. */
  #failUnreadable(link: Link, { ref, field }: Unreadable): void {
    const finish = unreadableFinish(ref, field);
    const held = this.attempts.get(ref);
    if (held === undefined) return link.send(finish);
    this.#ownedBy(link, held);
    if (held.occupies) held.stop({ why: 'stale', signalMs: 0, graceMs: STALE_GRACE_MS });
    this.#end(held, finish);
  }

  #confirmed(refs: readonly Ref[]): void {
    for (const ref of refs) {
      const held = this.attempts.get(ref);
      // Only results are confirmed; forgetting a running attempt would lose its result.
      if (held !== undefined && held.finish !== null) this.#forget(held);
    }
  }

  #assigned(link: Link, frame: FromNode & { kind: 'assign' }): void {
    const assignedBefore = this.attempts.get(frame.ref);
    if (assignedBefore !== undefined) {
      this.#ownedBy(link, assignedBefore);
      if (assignedBefore.finish === null) this.#intake.accept(assignedBefore);
      else this.#sendFinish(assignedBefore, [link]);
      return;
    }
    const assign = new Assignment(frame);
    const why = this.#reserve(assign);
    if (why !== null) return this.#refuse(link, assign, why);
    const held = new HeldAttempt({ assign, link, owner: this.#attemptOwner });
    this.attempts.add(held);
    this.#intake.acceptAndStart(held);
    this.#useChanged(held);
  }

  /** Reserves the capacity for the attempt, or returns why it is refused. */
  #reserve(assign: Assign): RefuseWhy | null {
    if (this.#params.isDraining()) return 'draining';
    if (!this.#params.executors.has(assign.executor)) return 'no_executor';
    if (this.attempts.size >= HELD_MAX) return 'too_many_results';
    return this.attempts.capacity.take(assign.request) ? null : 'full';
  }

  #refuse(link: Link, assign: Assign, why: RefuseWhy): void {
    const foreignUse = why === 'full' ? this.attempts.foreignUse(link) : null;
    link.send({ kind: 'refuse', ref: assign.ref, foreignUse });
    this.#emit?.({ kind: 'refused', ...idsOf(assign), why });
  }

  #run(held: HeldAttempt): void {
    const executor = this.#params.executors.get(held.assign.executor) as Executor;
    const { blobs, spans } = this.#params.options;
    void runAttempt({ held, executor, blobs, spans, owner: this.#runOwner });
  }

  readonly #runOwner: RunOwner = {
    vacate: (held) => {
      this.attempts.vacate(held);
      this.#useChanged(held);
    },
    ended: (held, finish) => this.#end(held, finish),
  };

  readonly #attemptOwner: AttemptOwner = {
    progressed: (held) => this.#progress.add(held),
    reportProgress: (held) => this.#progress.sendNow(held),
    saveCheckpoint: (held, state) =>
      saveCheckpoint({ held, state, blobs: this.#params.options.blobs }),
    overdue: (held) => {
      if (held.isOver) return;
      const result = { kind: 'stopped' } as const;
      this.#end(held, { kind: 'finish', ref: held.ref, result, output: null });
      // In the same message: otherwise the node assigns the capacity that the handler still occupies.
      for (const link of this.#links) link.sendForeignUse();
    },
    moved: (held, from, to) => this.#emit?.({ kind: 'attempt', ...idsOf(held.assign), from, to }),
  };

  #end(held: HeldAttempt, finish: Finish): void {
    if (held.isOver) return;
    held.disarm();
    held.finish = finish;
    held.life.to(ENDING[finish.result.kind]);
    const failed = this.#emit === null ? null : failedEvent(held, finish);
    if (failed !== null) this.#emit?.(failed);
    this.attempts.ended(held);
    this.#progress.remove(held);
    this.#sendFinish(held, held.link.welcomed ? [held.link] : this.#links);
    this.#resend.arm();
    this.#params.changed();
  }

  #sendFinish(held: HeldAttempt, links: readonly Link[]): void {
    if (held.finish === null) return;
    held.finishSentAt = performance.now();
    for (const link of links) link.send(held.finish);
  }

  #forget(held: HeldAttempt): void {
    held.disarm();
    this.attempts.forget(held);
    this.#progress.remove(held);
    held.life.to('forgotten');
    this.#params.changed();
  }

  /** Every node must know the use of capacity that it does not count itself. */
  #useChanged(held: HeldAttempt): void {
    this.#params.changed();
    const { isOver } = held;
    if (this.#links.length === 1 && !isOver) return;
    for (const link of this.#links) {
      if (isOver || link !== held.link) this.#progress.foreignUseChanged(link);
    }
  }
}
